import type { AssembledPrompt, PromptInputs } from "../../server/context/assemble.ts";
import type { MessageView } from "../../protocol/fold.ts";
import { countTokens } from "../../server/lib/tokens.ts";
import type { EvalThread } from "../contestant.ts";
import { forgetPieces, toPieces, type Piece } from "../count/pieces.ts";
import { priceTables, type Prices } from "../count/prices.ts";
import { textOf } from "../count/provenance.ts";
import { listUnfaithful } from "../count/faithful.ts";
import { createOurs, ingest } from "../ours.ts";
import { plantContradictions } from "../threads/contradictions.ts";
import { interleaveRuns, readRuns, toTools } from "../threads/airline.ts";
import { buildResearch } from "../threads/research.ts";
import { chainAirline } from "./cost-rows.ts";
import { rebuild } from "../../server/context/rebuild.ts";
import { listUnaccounted } from "../count/accounts.ts";
import { toCount, toShare, type Group } from "./row.ts";
import { simulate } from "./simulate.ts";

/** Invariants of every call of every thread, under several windows and prices. */
type Tally = {
  calls: number;
  breaks: number;
  heads: number;
  unfaithful: number;
  incomplete: number;
  samples: Set<string>;
};

const windows = [12_000, 32_000, 200_000];

export const measureChecks: Group = async ({ find, isDeep }) => {
  const tally: Tally = { calls: 0, breaks: 0, heads: 0, unfaithful: 0, incomplete: 0, samples: new Set() };
  const threads = listThreads(find("tau-airline/runs.json.gz"), find("pages"));
  for (const [index, thread] of threads.entries())
    for (const [at, windowTokens] of windows.entries()) {
      if (!isDeep && index % windows.length !== at) continue;
      const prices = priceTables[(index + at) % priceTables.length];
      if (prices) await checkThread(tally, thread, prices, windowTokens);
      forgetPieces();
    }
  for (const sample of tally.samples) process.stderr.write(`${sample}\n`);
  return [
    toCount("prefix.breaks", tally.breaks, tally.calls),
    toCount("faithful.violations", tally.unfaithful, tally.heads),
    toShare("receipt.complete", tally.calls - tally.incomplete, tally.calls),
  ];
};

function listThreads(airline: string | undefined, pages: string | undefined): readonly EvalThread[] {
  const runs = airline === undefined ? [] : readRuns(airline);
  const planted = plantContradictions().filter((_, index) => index % 8 === 0);
  return [
    ...(airline === undefined
      ? []
      : [...chainAirline(airline), ...interleaveRuns(runs, 10, toTools(runs)).slice(0, 4)]),
    ...(pages === undefined ? [] : buildResearch(pages)),
    ...planted.map(({ thread }) => thread),
  ];
}

const SAMPLES = 12;

async function checkThread(tally: Tally, thread: EvalThread, prices: Prices, windowTokens: number): Promise<void> {
  const messages = new Map<string, MessageView>();
  const heads = new Map<string, string>();
  let before: readonly Piece[] = [];
  let source = `${thread.system}\n${JSON.stringify(thread.tools)}`;
  let told = 0;
  const sample = (text: string): void => {
    if (tally.samples.size < SAMPLES) tally.samples.add(`${thread.id}, window ${windowTokens}: ${text}`);
  };

  const look = (snapshot: PromptInputs, { request, receipt, compaction, update: news }: AssembledPrompt): void => {
    tally.calls += 1;
    for (; told < thread.turns.length && (thread.turns[told]?.question.depth ?? 0) <= snapshot.answer.depth; told += 1)
      source += toSource(thread.turns[told]);
    for (const message of snapshot.messages) messages.set(message.id, message);
    if (news) storeUpdate(messages, snapshot, news);
    const pieces = toPieces(snapshot.tools, request);
    if (receipt.epoch.opened === null && !isPrefix(before, pieces)) {
      tally.breaks += 1;
      sample(`the prefix broke: ${receipt.cache.broke ?? "untold"}`);
    }
    before = pieces;
    if (compaction) {
      heads.set(receipt.epoch.id ?? "", compaction.summaryHead);
      tally.heads += 1;
      for (const word of listUnfaithful(compaction.summaryHead, source)) {
        tally.unfaithful += 1;
        sample(`in the head, not in its source: ${word}`);
      }
    }
    const depths = Array.from({ length: snapshot.answer.depth - 1 }, (_, index) => index + 1);
    const missing = listUnaccounted(receipt, depths);
    const { system, tools } = snapshot;
    const summaryHead = heads.get(receipt.epoch.id ?? "");
    const isSame = rebuild(
      receipt,
      { system, tools, summaryHead, message: (id) => messages.get(id) },
      countTokens,
    ).verified;
    if (missing.length > 0 || !isSame) {
      tally.incomplete += 1;
      sample(isSame ? `no account of messages ${missing.join(", ")}` : "the receipt gives other bytes");
    }
  };
  const ours = createOurs({ name: "stone", note: "", prices, windowTokens, withRecall: true, look });
  await simulate(ours, thread);
}

/** As recorded, and as it was taken in: placeholders and what bounding says of itself. */
const toSource = (turn: EvalThread["turns"][number] | undefined): string =>
  turn === undefined
    ? ""
    : [turn.question.parts, turn.answer.parts, turn.answer.parts.map(ingest)]
        .map((parts) => `\n${textOf(parts)}`)
        .join("");

function storeUpdate(
  messages: Map<string, MessageView>,
  { answer, messages: loaded }: PromptInputs,
  { tokens: _, ...rest }: NonNullable<AssembledPrompt["update"]>,
): void {
  const known = messages.get(answer.id);
  const last = loaded.at(-1);
  if (last === undefined) return;
  const part = {
    id: `${answer.id}.${answer.part}`,
    v: 1 as const,
    n: answer.part,
    step: 1,
    kind: "context" as const,
    ...rest,
  };
  const head = known ?? { ...last, id: answer.id, role: "assistant" as const, depth: answer.depth, parts: [] };
  messages.set(answer.id, { ...head, parts: [...head.parts, part] });
}

const isPrefix = (before: readonly Piece[], after: readonly Piece[]): boolean =>
  before.every(({ bytes }, index) => after[index]?.bytes === bytes);
