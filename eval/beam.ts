import { join } from "node:path";
import type { RecallParameters } from "../server/recall/ranking/parameters.ts";
import { readBeam } from "./beam/read-beam.ts";
import { measureRecall } from "./recall/measure.ts";
import { createReport, type Measure } from "./report.ts";

/**
 * `node eval/beam.ts --data DIR`: the same as for LoCoMo, of chats between a user and an assistant with long answers. A
 * message counts as there when a passage of it is.
 */
export const measureBeam = (
  data: string,
  parameters?: RecallParameters,
  only: (name: string) => boolean = () => true,
): Promise<readonly Measure[]> =>
  measureRecall(
    readBeam(join(data, "beam")).filter(({ name }) => only(name)),
    { prefix: "beam", budgets: [2048, 4096], ...(parameters ? { parameters } : {}) },
  );

if (import.meta.main) {
  const report = createReport({ "beam.any.4096": { atLeast: 0.63 }, "beam.all.4096": { atLeast: 0.36 } });
  const folder = report.find("beam");
  if (folder !== undefined) {
    for (const measure of await measureBeam(join(folder, ".."))) report.add(measure);
    report.print();
  }
}
