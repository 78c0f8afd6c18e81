import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findPostgres } from "../test/support/postgres-binaries.ts";
import { createArena } from "./arena.ts";
import type { Contest, Measuring } from "./contest.ts";
import { createSeries, toTable } from "./report.ts";
import { readLoad, writeDocs } from "./docs.ts";
import { aiSdkSurface } from "./measures/ai-sdk-surface.ts";
import { conversationCpu } from "./measures/conversation-cpu.ts";
import { digest } from "./measures/digest.ts";
import { firstToken } from "./measures/first-token.ts";
import { openThread } from "./measures/open-thread.ts";
import { start } from "./measures/start.ts";
import { streamCpu } from "./measures/stream-cpu.ts";
import { streamHeld } from "./measures/stream-held.ts";
import { streamLatency } from "./measures/stream-latency.ts";
import { streamMemory } from "./measures/stream-memory.ts";
import { threadLength } from "./measures/thread-length.ts";

/**
 * `npm run bench`: measures every contestant in one run. `--only PREFIX,PREFIX` measures a part, `--json FILE` writes the figures,
 * `--docs PLACE` writes them into docs/benchmarks.md, `--quick` uses small loads, `--sqlite` and `--postgres` use only that
 * database, `--profile DIR` saves a CPU profile of every server.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    json: { type: "string" },
    quick: { type: "boolean", default: false },
    sqlite: { type: "boolean", default: false },
    postgres: { type: "boolean", default: false },
    docs: { type: "string" },
    profile: { type: "string" },
    repeats: { type: "string" },
  },
});
const { json, quick, sqlite, postgres } = values;
const only = values.only.split(",");
const loadBefore = readLoad();

const all: readonly Measuring[] = [
  streamCpu,
  conversationCpu,
  streamHeld,
  aiSdkSurface,
  streamLatency,
  streamMemory,
  firstToken,
  threadLength,
  openThread,
  digest,
  start,
];
const wanted = all.filter(({ ids }) =>
  ids.some((id) => only.some((prefix) => id.startsWith(prefix) || prefix.startsWith(id))),
);
if (wanted.length === 0) throw new Error(`No figure begins with "${values.only}".`);
if (!sqlite && !findPostgres()) console.log("PostgreSQL was not found: its figures are skipped.");

const arena = createArena({ profileDir: values.profile });
const series = createSeries();
const contest: Contest = {
  arena,
  series,
  repeats: Number(values.repeats ?? (quick ? 2 : 5)),
  databases: sqlite || !findPostgres() ? ["sqlite"] : postgres ? ["postgres"] : ["sqlite", "postgres"],
  quick,
  say: (text) => process.stderr.write(`${text}\n`),
};
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void arena.close().then(() => process.exit(1)));

/** After each measure, so that an interrupted run keeps its figures. */
const writeFigures = (): void => {
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ measures: findWanted() }, null, 2)}\n`);
};
const findWanted = () => series.measures().filter(({ id }) => only.some((prefix) => id.startsWith(prefix)));
try {
  for (const { ids, run } of wanted) {
    const startedAt = performance.now();
    await run(contest);
    contest.say(`${ids.join(" ")} took ${Math.round((performance.now() - startedAt) / 1000)} s`);
    contest.say(toTable(series.measures().filter(({ id }) => ids.some((prefix) => id.startsWith(prefix)))));
    writeFigures();
  }
} finally {
  await arena.close();
}
console.log(toTable(findWanted()));
if (values.docs !== undefined) {
  const file = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url));
  writeDocs(file, values.docs, { measures: findWanted(), args: process.argv.slice(2), loadBefore });
}
