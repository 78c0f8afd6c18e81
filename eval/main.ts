import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createReport, type AddedMeasure } from "./report.ts";
import { groups } from "./rows/groups.ts";
import type { WorkerResult, Work } from "./rows/worker.ts";
import { targets } from "./document/targets.ts";

/**
 * `npm run eval`: compares our prompts with those of the classic designs and of libraries that run without a model, on
 * recorded threads; every row of the table with its interval. Writes `docs/evaluation.md`, unless only a part is asked for or
 * other data is given. No model is run.
 */
const report = createReport(Object.fromEntries(targets.map(({ id, reach }) => [id, reach])));
const startedAt = performance.now();
const waiting = Object.keys(groups).filter((name) => groups[name]?.ids.some(report.wants));
const absent = new Set<string>();
const failed: string[] = [];
const found: AddedMeasure[] = [];

await Promise.all(Array.from({ length: Math.max(2, Math.min(4, availableParallelism())) }, work));

const order = new Map(targets.map(({ id }, index) => [id, index]));
const placeOf = (id: string): number => order.get(id) ?? targets.length;
for (const measure of found.sort((a, b) => placeOf(a.id) - placeOf(b.id) || (a.id < b.id ? -1 : 1)))
  report.add(measure);
for (const place of absent) process.stderr.write(`skipped: there is no ${place} (--data DIR names another folder)\n`);
report.print();
const seconds = Math.round((performance.now() - startedAt) / 1_000);
console.log(`\n${report.measures().length} rows in ${seconds} s.`);
if (report.only === "" && report.isUsualData && failed.length === 0 && absent.size === 0) {
  const { writeDocument } = await import("./document/write-document.ts");
  writeFileSync(join(import.meta.dirname, "../docs/evaluation.md"), writeDocument(report.measures(), report.isDeep));
}
process.exitCode = failed.length > 0 ? 1 : 0;

async function work(): Promise<void> {
  for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
    try {
      const { measures, absent: missed } = await runGroup({
        group,
        data: report.data,
        only: report.only,
        isDeep: report.isDeep,
      });
      found.push(...measures);
      for (const place of missed) absent.add(place);
    } catch (error) {
      failed.push(group);
      process.stderr.write(`the rows of "${group}" failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    }
  }
}

function runGroup(workerData: Work): Promise<WorkerResult> {
  const worker = new Worker(new URL("./rows/worker.ts", import.meta.url), { workerData });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`its thread ended with ${code}`)));
  });
}
