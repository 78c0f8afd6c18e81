import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findChromium } from "../../test/support/chromium.ts";
import { createArena } from "../arena.ts";
import { toOrder } from "../contest.ts";
import { readLoad, writeDocs } from "../docs.ts";
import { createSeries, toTable } from "../report.ts";
import { measureFirstLoad } from "./measures/first-load.ts";
import { measureFrames } from "./measures/frames.ts";
import { measureLongThread } from "./measures/long-thread.ts";
import { measureMemory } from "./measures/memory.ts";
import { createStage, type Contestant, type Trial } from "./stage.ts";

/**
 * `npm run bench:web`: compares our page with one of assistant-ui in one run, in real Chromium. `--only PREFIX,PREFIX`
 * measures a part, `--minutes N` streams that long for the memory (3), `--json FILE` writes the figures, `--docs PLACE`
 * writes them into docs/benchmarks.md, `--quick` uses small loads.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    minutes: { type: "string" },
    repeats: { type: "string" },
    json: { type: "string" },
    docs: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});
const { quick, json, docs } = values;
const only = values.only.split(",");
const loadBefore = readLoad();

type Measuring = {
  readonly id: string;
  readonly run: (trial: Trial, contestant: Contestant) => Promise<void>;
  /** Takes minutes and is not repeated: it contains its own repeats. */
  readonly isOnce?: boolean;
};
const all: readonly Measuring[] = [
  { id: "page.load", run: measureFirstLoad },
  { id: "page.thread", run: measureLongThread },
  { id: "page.frame", run: measureFrames },
  { id: "page.memory", run: measureMemory, isOnce: true },
];
const wanted = all.filter(({ id }) => only.some((prefix) => id.startsWith(prefix)));
if (wanted.length === 0) throw new Error(`--only takes prefixes of ${all.map(({ id }) => id).join(", ")}.`);
const found = findChromium();
if (!found) throw new Error("Chromium was not found: npm test installs one, or set TEST_CHROMIUM.");

const arena = createArena();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void arena.close().then(() => process.exit(1)));
const series = createSeries();
const say = (text: string): void => void process.stderr.write(`${text}\n`);
try {
  say("making the threads");
  const stage = await createStage(arena, found);
  const repeats = Number(values.repeats ?? (quick ? 2 : 5));
  const trial: Trial = { stage, series, quick, minutes: Number(values.minutes ?? (quick ? 1 : 3)), say };
  for (const { id, run, isOnce = false } of wanted) {
    for (let repeat = 0; repeat < (isOnce ? 1 : repeats); repeat += 1) {
      for (const contestant of toOrder(stage.contestants, repeat)) await run(trial, contestant);
      say(`${id}: ${repeat + 1} of ${isOnce ? 1 : repeats}`);
    }
    if (json !== undefined) writeFileSync(json, `${JSON.stringify({ measures: series.measures() }, null, 2)}\n`);
  }
  await stage.close();
} finally {
  await arena.close();
}
console.log(toTable(series.measures()));
if (docs !== undefined) {
  const file = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));
  writeDocs(file, docs, { measures: series.measures(), command: "bench:web", args: process.argv.slice(2), loadBefore });
}
