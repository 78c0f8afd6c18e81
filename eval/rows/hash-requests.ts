import { createHash } from "node:crypto";
import { createOurs } from "../ours.ts";
import { plantContradictions } from "../threads/contradictions.ts";
import { interleaveRuns, readRuns, toTools } from "../threads/airline.ts";
import { buildResearch } from "../threads/research.ts";
import { simulate } from "./simulate.ts";

/** `node hash-requests.ts RUNS PAGES`: one hash over every request and receipt of some threads of each kind. */
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
  look: (_, { request, receipt, epoch, told }) => {
    calls += 1;
    hash.update(JSON.stringify([request, receipt, epoch, told]));
  },
});
for (const thread of threads) await simulate(ours, thread);
console.log(`${calls} ${hash.digest("hex")}`);
