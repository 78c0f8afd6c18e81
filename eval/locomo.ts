import { join } from "node:path";
import type { RecallParameters } from "../server/recall/ranking/parameters.ts";
import { readLocomo } from "./locomo/read-locomo.ts";
import { measureRecall } from "./recall/measure.ts";
import { createReport, type Measure } from "./report.ts";

/**
 * `node eval/locomo.ts --data DIR`: how much of the evidence for LoCoMo's questions recall brings back, any and all, by budget;
 * which session it looks in first. A turn's image caption counts as its text. Parameters: `server/recall/ranking/parameters.ts`.
 */
export const measureLocomo = (
  data: string,
  parameters?: RecallParameters,
  only: (name: string) => boolean = () => true,
): Promise<readonly Measure[]> =>
  measureRecall(
    readLocomo(join(data, "locomo")).filter(({ name }) => only(name)),
    { prefix: "locomo", budgets: [2048, 4096], ...(parameters ? { parameters } : {}) },
  );

export const locomoTargets = {
  "locomo.any.2048": { atLeast: 0.93 },
  "locomo.all.2048": { atLeast: 0.83 },
  "locomo.any.4096": { atLeast: 0.96 },
  "locomo.all.4096": { atLeast: 0.88 },
  "locomo.hit1": { atLeast: 0.77 },
  "locomo.ndcg5": { atLeast: 0.84 },
} as const;

if (import.meta.main) {
  const report = createReport(locomoTargets);
  const folder = report.find("locomo");
  if (folder !== undefined) {
    for (const measure of await measureLocomo(join(folder, ".."))) report.add(measure);
    report.print();
  }
}
