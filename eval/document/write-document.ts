import { absent, peers, smallPeers } from "../contestants/peers.ts";
import { appendOnly, seeds } from "../contestants/seeds.ts";
import { priceTables } from "../count/prices.ts";
import { OURS } from "../ours.ts";
import type { Measure, Target } from "../report.ts";
import { CHAINED } from "../rows/cost-rows.ts";
import { targets } from "./targets.ts";
import { PLANTED } from "../threads/planted.ts";
import { RESEARCH } from "../threads/research.ts";

/** `docs/evaluation.md` from the figures of one run. */
export function writeDocument(measures: readonly Measure[], isDeep: boolean): string {
  const byId = new Map(measures.map((measure) => [measure.id, measure]));
  return `${[
    "# What the model sees, measured",
    `Written by \`npm run eval${isDeep ? " -- --deep" : ""}\` on ${new Date().toISOString().slice(0, 10)}. No model is run: recorded answers and results are replayed. Intervals: 95 of 100 draws of whole threads.`,
    "## The table",
    toTable(["measure", "value", "interval", "n", "prototype", "to reach", "gap"], listAims(byId)),
    "## Compared with others",
    "Evidence and arguments are shares found in the prompt, with the mean tokens carried from earlier turns. Cost is per person's turn in input tokens, reads at .10 and at .02 of the price; reuse is the plain share of each prompt that begins like the one before. A cheap prompt without the facts is no bargain: read the columns together.",
    toTable(
      [
        "who",
        "LoCoMo any/all",
        "tokens",
        "arguments of 10",
        "tokens",
        "arguments of 20",
        "airline .10/.02",
        "reuse",
        "research .10/.02",
        "reuse",
        "newest wins",
      ],
      listContestants(byId),
    ),
    listNotes(),
    "## Prices",
    "Times cheaper than the product's `messages` policy, which counts an answer with all its steps as one message of 50; than seed 003 by its own rules, where every row counts; and than sending everything. Prices are multiples of an uncached input token; the engine knows them and sets its marks by them. *still*: without recall.",
    toTable(
      [
        "reads",
        "writes",
        "airline",
        "airline, still",
        "research",
        "research, still",
        "airline, seed 003",
        "research, seed 003",
        "airline, everything",
        "research, everything",
      ],
      listPrices(byId),
    ),
    HOW,
    listParameters(),
  ].join("\n\n")}\n`;
}

const toTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

const show = (value: number | undefined): string => {
  if (value === undefined) return "-";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return Number.isInteger(value) ? String(value) : value.toFixed(3).replace(/^0\./, ".");
};

type ById = ReadonlyMap<string, Measure>;

const listAims = (byId: ById): readonly (readonly string[])[] =>
  targets.map(({ id, what, prototype, reach }) => {
    const found = byId.get(id);
    const interval = found && found.low !== found.high ? `${show(found.low)} - ${show(found.high)}` : "";
    const asked = "atLeast" in reach ? `>= ${show(reach.atLeast)}` : `<= ${show(reach.atMost)}`;
    return [
      `${what} (\`${id}\`)`,
      show(found?.value),
      interval,
      found ? String(found.n) : "",
      prototype,
      asked,
      toGap(found, reach),
    ];
  });

function toGap(found: Measure | undefined, reach: Target): string {
  if (found === undefined) return "not measured";
  const gap = "atLeast" in reach ? reach.atLeast - found.value : found.value - reach.atMost;
  return gap <= 0 ? "reached" : show(gap);
}

const listContestants = (byId: ById): readonly (readonly string[])[] => {
  const figure = (id: string): string => show(byId.get(id)?.value);
  const pair = (a: string, b: string): string => `${figure(a)}/${figure(b)}`;
  const ours = [
    "**stone**",
    pair("locomo.any.2048", "locomo.all.2048"),
    "2,048",
    figure("provenance.10.stone"),
    figure("provenance.tokens.10.stone"),
    figure("provenance.20.stone"),
    pair("cost.airline.ours.r10", "cost.airline.ours.r02"),
    figure("reuse.airline.stone"),
    pair("cost.research.ours.r10", "cost.research.ours.r02"),
    figure("reuse.research.stone"),
    figure("newest-wins"),
  ];
  const others = [...seeds, appendOnly, ...peers, ...smallPeers].map(({ name }) => [
    name,
    pair(`locomo.any.${name}`, `locomo.all.${name}`),
    figure(`locomo.tokens.${name}`),
    figure(`provenance.10.${name}`),
    figure(`provenance.tokens.10.${name}`),
    figure(`provenance.20.${name}`),
    pair(`cost.airline.${name}.r10`, `cost.airline.${name}.r02`),
    figure(`reuse.airline.${name}`),
    pair(`cost.research.${name}.r10`, `cost.research.${name}.r02`),
    figure(`reuse.research.${name}`),
    figure(`newest-wins.${name}`),
  ]);
  const blanks = Array.from({ length: 10 }, () => "");
  return [ours, ...others, ...Object.keys(absent).map((name) => [`${name} (not run)`, ...blanks])];
};

const listNotes = (): string =>
  [
    ...[...seeds, appendOnly, ...peers, ...smallPeers].map(({ name, note }) => `- ${name}: ${note}`),
    ...Object.entries(absent).map(([name, why]) => `- ${name}: ${why}`),
    "- Contestants that need a model for summaries (seeds 002 and 004) have the same extractive stand-in, paid as if a model had read the source and written the summary at five times the price. Ours needs none here: its heads are made of values and sentences.",
  ].join("\n");

const listPrices = (byId: ById): readonly (readonly string[])[] =>
  priceTables.map(({ name, read, write }) => [
    String(read),
    String(write),
    ...[
      `cost.airline.vs-messages.${name}`,
      `cost.airline.vs-messages.${name}.still`,
      `cost.research.vs-messages.${name}`,
      `cost.research.vs-messages.${name}.still`,
      `cost.airline.vs-seed-003.${name}`,
      `cost.research.vs-seed-003.${name}`,
      `cost.airline.vs-append-only.${name}`,
      `cost.research.vs-append-only.${name}`,
    ].map((id) => show(byId.get(id)?.value)),
  ]);

const HOW = `## How it is counted

- LoCoMo: each conversation is one thread, each question with evidence its next message; categories 1 to 4. For ours the budget bounds what recall brings back, as rendered (characters / 4, as the prototype counted; \`.tokens\` rows: real tokens). Others carry what their rules carry.
- Arguments: values of at least five characters with a digit, dates excepted, that occur in earlier turns and not earlier in the same turn; looked for in the request at the start of the turn. \`provenance.N\` measures the ledger right after a cut, when least is carried; the row of *stone* above is the whole engine as it runs, with more tokens.
- Airline threads: ${CHAINED} recorded runs one after another, as a desk with one thread has them; single runs are shorter than any window. The runs hold no tool schemas: names and used arguments replace them, for all contestants.
- Research threads are synthetic: real pages, invented turns, seed ${RESEARCH.seed}; ${RESEARCH.turns.least} to ${RESEARCH.turns.most} searches a thread, ${RESEARCH.pages.least} to ${RESEARCH.pages.most} pages read after each, ${RESEARCH.followUps.least} to ${RESEARCH.followUps.most} questions more answered from them. \`cost.research-dense\`: without those.
- Shared bytes: the longest common beginning of two requests that follow each other, tools and system first, to the byte; providers' block sizes and lifetimes are left out, for everybody. New tokens are what the thread brought since the call before; what recall tells is not among them, so it counts against us. First calls of threads are left out of reuse and floor.
- Newest wins: a preference, an address or a tool's value said twice, differently, ${PLANTED.fillers.between} turns apart, asked for ${PLANTED.fillers.after} turns later. Right: the newest is in the request and nothing old follows it.
- As coded: the three seeds whose cap keeps the oldest (000: the string's beginning, 001: the first tool events, 003: the first 50 rows).
- The width of epochs and what recall brings back were chosen on the first six threads of each kind; recall's weights and the ledger as their own files say. \`.tune\` and \`.report\` are every second thread and the others, split without looking.
- Research: what is new has to be written once, and two turns that stay verbatim hold some ten thousand tokens of pages; smaller bounds on pages would move those rows, and cost the reader text.`;

const listParameters = (): string =>
  [
    "## Parameters",
    "",
    `- Engine: \`SIZES\` in \`server/context/assemble.ts\`; marks in \`server/context/compaction/marks.ts\`; window ${OURS.windowTokens.toLocaleString("en-US")}, results bounded to ${OURS.resultTokens} tokens, pages to 3,000, searches to 2,000.`,
    "- Recall: `server/recall/ranking/parameters.ts`. Ledger: `server/context/ledger/`.",
    `- Seeds of chance: research ${RESEARCH.seed}, planted ${PLANTED.seed}, draws 1.`,
  ].join("\n");
