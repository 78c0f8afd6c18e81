import { appendOnly, seeds } from "../contestants/seeds.ts";
import type { Contestant, EvalThread } from "../contestant.ts";
import { bootstrap, splitThreads, type Interval } from "../count/bootstrap.ts";
import { forgetPieces } from "../count/pieces.ts";
import { costOf, floorOf, priceTables, reuseShare, sum, type Call, type Prices } from "../count/prices.ts";
import { createOurs } from "../ours.ts";
import type { AddedMeasure } from "../report.ts";
import { chainRuns, readRuns, toTools } from "../threads/airline.ts";
import { buildResearch } from "../threads/research.ts";
import { toRow, type Group } from "./row.ts";
import { simulate } from "./simulate.ts";

/** Runs that follow each other in one thread of the airline's desk. */
export const CHAINED = 10;

export type ThreadCalls = { readonly calls: readonly Call[]; readonly turns: number };
type Pair = { readonly ours: ThreadCalls; readonly other: ThreadCalls };

/**
 * Three measures. `cost.*`: our cost compared with the `messages` policy on the same threads, by price table. `reuse.share`:
 * share of the prompt that the cache serves. `cost.over-floor`: cost above the minimum.
 */
export const measureCosts: Group = async ({ find, wants }) => {
  const [airline, pages] = [find("tau-airline/runs.json.gz"), find("pages")];
  const rows: AddedMeasure[] = [];
  const still: Pair[] = [];
  const recalling: Pair[] = [];
  const isWanted = (kind: string): boolean => wants(`cost.${kind}`) || wants("reuse.share") || wants("cost.over-floor");
  const kinds: Readonly<Record<string, readonly EvalThread[]>> = {
    ...(airline === undefined || !isWanted("airline") ? {} : { airline: chainAirline(airline) }),
    ...(pages === undefined || !isWanted("research") ? {} : { research: buildResearch(pages) }),
  };
  for (const [kind, threads] of Object.entries(kinds)) {
    const told = await simulateAll([...contestants, ...priceTables.flatMap(toOurs)], threads);
    const pairsOf = (name: string, other: string): readonly Pair[] => toPairs(told.get(name), told.get(other));
    for (const prices of priceTables) {
      const pairs = pairsOf(`recall ${prices.name}`, "messages");
      const quiet = pairsOf(`still ${prices.name}`, "messages");
      const seed = pairsOf(`recall ${prices.name}`, "seed-003-messages");
      rows.push(
        ...tellRatios(`cost.${kind}`, prices, {
          pairs,
          quiet,
          seed,
          plain: pairsOf(`recall ${prices.name}`, "append-only"),
        }),
      );
      rows.push(toRow(`reuse.share.${kind}.${prices.name}`, "share", shareOf(quiet)));
      rows.push(toRow(`reuse.share.recall.${kind}.${prices.name}`, "share", shareOf(pairs)));
      if (prices.name === "r10") {
        still.push(...quiet);
        recalling.push(...pairs);
      }
      if (prices.name === "r10" || prices.name === "r02")
        rows.push(...tellFloor(`cost.over-floor.${prices.name}.${kind}`, { pairs, quiet }, prices));
    }
    rows.push(toRow(`reuse.${kind}.stone`, "share", plainReuse(recalling.slice(-threads.length))));
    rows.push(toRow(`reuse.share.${kind}`, "share", shareOf(still.slice(-threads.length))));
    rows.push(toRow(`reuse.share.recall.${kind}`, "share", shareOf(recalling.slice(-threads.length))));
  }
  if (still.length === 0) return rows;
  const { tune, report } = splitThreads(still);
  return [
    ...rows,
    toRow("reuse.share", "share", shareOf(still)),
    toRow("reuse.share.tune", "share", shareOf(tune)),
    toRow("reuse.share.report", "share", shareOf(report)),
    toRow("reuse.share.recall", "share", shareOf(recalling)),
    ...poolFloors(rows),
  ];
};

/** The same where every turn searches and reads: what is new is most of what is sent. */
export const measureDense: Group = async ({ find, wants }) => {
  const pages = find("pages");
  if (pages === undefined || !wants("cost.research-dense")) return [];
  const tables = priceTables.filter(({ name }) => name === "r10" || name === "r02");
  const told = await simulateAll([...contestants, ...tables.flatMap(toOurs)], buildResearch(pages, false));
  return tables.map((prices) => {
    const pairs = toPairs(told.get(`recall ${prices.name}`), told.get("messages"));
    return toRow(
      `cost.research-dense.vs-messages.${prices.name}`,
      "times",
      bootstrap(pairs, (some) => ratio(some, prices)),
    );
  });
};

/** The product's own `messages` policy counts an answer with all its steps as one message; the seed counts every row. */
const contestants: readonly Contestant[] = [
  createOurs({ name: "messages", note: "", prices: { name: "", read: 0.1, write: 1 }, policy: "messages" }),
  ...seeds.filter(({ name }) => name === "seed-003-messages"),
  appendOnly,
];

const toOurs = (prices: Prices): readonly Contestant[] => [
  createOurs({ name: `recall ${prices.name}`, note: "", prices, withRecall: true }),
  createOurs({ name: `still ${prices.name}`, note: "", prices }),
];

type ComparedPairs = {
  readonly pairs: readonly Pair[];
  readonly quiet: readonly Pair[];
  readonly seed: readonly Pair[];
  readonly plain: readonly Pair[];
};

function tellRatios(id: string, prices: Prices, { pairs, quiet, seed, plain }: ComparedPairs): readonly AddedMeasure[] {
  const compare = (some: readonly Pair[]): number => ratio(some, prices);
  const { tune, report } = splitThreads(pairs);
  return [
    toRow(`${id}.vs-messages.${prices.name}.tune`, "times", bootstrap(tune, compare)),
    toRow(`${id}.vs-messages.${prices.name}.report`, "times", bootstrap(report, compare)),
    toRow(`${id}.vs-messages.${prices.name}`, "times", bootstrap(pairs, compare)),
    toRow(`${id}.vs-messages.${prices.name}.still`, "times", bootstrap(quiet, compare)),
    toRow(`${id}.vs-seed-003.${prices.name}`, "times", bootstrap(seed, compare)),
    toRow(`${id}.vs-append-only.${prices.name}`, "times", bootstrap(plain, compare)),
    toRow(
      `${id}.ours.${prices.name}`,
      "tokens/turn",
      bootstrap(
        pairs,
        (some) => sum(some, ({ ours }) => costOf(ours.calls, prices)) / sum(some, ({ ours }) => ours.turns),
      ),
    ),
  ];
}

export const chainAirline = (path: string): readonly EvalThread[] => {
  const runs = readRuns(path);
  return chainRuns(runs, CHAINED, toTools(runs));
};

/** Thread by thread, so that every contestant is measured on the same threads. */
export async function simulateAll(
  list: readonly Contestant[],
  threads: readonly EvalThread[],
): Promise<ReadonlyMap<string, readonly ThreadCalls[]>> {
  const told = new Map<string, ThreadCalls[]>(list.map(({ name }) => [name, []]));
  for (const thread of threads) {
    for (const contestant of list) {
      const calls = await simulate(contestant, thread);
      told.get(contestant.name)?.push({ calls, turns: thread.turns.length });
    }
    forgetPieces();
  }
  return told;
}

const toPairs = (ours: readonly ThreadCalls[] = [], others: readonly ThreadCalls[] = []): readonly Pair[] =>
  ours.flatMap((one, index) => (others[index] ? [{ ours: one, other: others[index] }] : []));

const ratio = (pairs: readonly Pair[], prices: Prices): number =>
  sum(pairs, ({ other }) => costOf(other.calls, prices)) / sum(pairs, ({ ours }) => costOf(ours.calls, prices));

const shareOf = (pairs: readonly Pair[]): Interval =>
  bootstrap(pairs, (some) => reuseShare(some.flatMap(({ ours }) => ours.calls)));

const plainReuse = (pairs: readonly Pair[]): Interval =>
  bootstrap(pairs, (some) => {
    const calls = some.flatMap(({ ours }) => ours.calls.filter(({ isFirst }) => !isFirst));
    return sum(calls, ({ shared }) => shared) / sum(calls, ({ input }) => input);
  });

/** Without the first call of a thread, which has nothing to share with. */
function overFloor(pairs: readonly Pair[], prices: Prices): number {
  const calls = pairs.flatMap(({ ours }) => ours.calls.filter(({ isFirst }) => !isFirst));
  return costOf(calls, prices) / floorOf(calls, prices);
}

const tellFloor = (
  id: string,
  { pairs, quiet }: Pick<ComparedPairs, "pairs" | "quiet">,
  prices: Prices,
): readonly AddedMeasure[] => [
  toRow(
    id,
    "times",
    bootstrap(quiet, (some) => overFloor(some, prices)),
  ),
  toRow(
    `${id}.recall`,
    "times",
    bootstrap(pairs, (some) => overFloor(some, prices)),
  ),
];

/** One figure for both kinds of thread: their mean, so that the longer kind does not speak alone. */
function poolFloors(rows: readonly AddedMeasure[]): readonly AddedMeasure[] {
  return ["cost.over-floor.r10", "cost.over-floor.r02"].flatMap((id) =>
    ["", ".recall"].flatMap((end) => {
      const parts = rows.filter((row) => row.id === `${id}.airline${end}` || row.id === `${id}.research${end}`);
      if (parts.length === 0) return [];
      const mean = (of: (row: AddedMeasure) => number): number => sum(parts, of) / parts.length;
      const value = mean((row) => row.value);
      const [low, high] = [mean((row) => row.low ?? row.value), mean((row) => row.high ?? row.value)];
      return [{ id: `${id}${end}`, value, unit: "times", low, high, n: sum(parts, (row) => row.n) }];
    }),
  );
}
