import { createHash } from "node:crypto";
import { createOurs } from "../../ours.ts";
import { plantContradictions } from "../../threads/contradictions.ts";
import { interleaveRuns, readRuns, toTools } from "../../threads/airline.ts";
import { buildResearch } from "../../threads/research.ts";
import { simulate } from "../simulate.ts";

/**
 * `node hash-requests.ts RUNS PAGES`: one hash over every request, head and account of some threads of each kind. Scores of
 * recall are left out: their last digit is not the same in every version of the language's logarithm.
 */
const [, , airline = "", pages = ""] = process.argv;
const runs = airline === "" ? [] : readRuns(airline);
const threads = [
  ...interleaveRuns(runs, 10, toTools(runs)).slice(0, 2),
  ...(pages === "" ? [] : buildResearch(pages).slice(0, 2)),
  ...plantContradictions()
    .filter((_, index) => index % 40 === 0)
    .map(({ thread }) => thread),
];
const hash = createHash("sha256");
let calls = 0;
const ours = createOurs({
  name: "stone",
  note: "",
  prices: { name: "r10", read: 0.1, write: 1.25 },
  windowTokens: 32_000,
  withRecall: true,
  look: (_, { request, receipt, compaction, update }) => {
    calls += 1;
    hash.update(
      JSON.stringify([request, receipt, compaction, update], (key, value: unknown) => (key === "score" ? null : value)),
    );
  },
});
for (const thread of threads) await simulate(ours, thread);
console.log(`${calls} ${hash.digest("hex")}`);
