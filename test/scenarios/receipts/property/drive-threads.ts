import type { PolicyName } from "../../../../protocol/context/policy.ts";
import type { Receipt } from "../../../../protocol/context/receipt.ts";
import type { ModelEvent, ModelFailure, ModelRequest } from "../../../../protocol/model.ts";
import { scriptedIds, type Script } from "../../../../server/model/scripted.ts";
import { loadWindow } from "../../../../server/thread/path.ts";
import { call, createInstance, mintId, say, type Instance } from "../../../support/instance.ts";
import { tool } from "../../../support/server/loop-tools.ts";
import { findContradictions, type KnownSummary } from "./check-request.ts";
import { findChanges, type SentRequest } from "./check-order.ts";
import { createDice, type Dice } from "./dice.ts";

const POLICIES: readonly PolicyName[] = [
  "stone",
  "stone",
  "stone",
  "summary",
  "snapshot",
  "messages",
  "replay",
  "transcript",
];
const WINDOWS = [2_500, 4_000, 6_000, 9_000, 16_000, 32_000];
const WHOLE = Number.MAX_SAFE_INTEGER;

const failures: Readonly<Record<string, ModelFailure>> = {
  "too-long": { code: "too-long", fault: "request", text: "The prompt is longer than the model's window." },
  fallback: { code: "refused", fault: "request", text: "This model refuses to answer." },
  retry: { code: "overloaded", fault: "provider", text: "The provider is overloaded." },
};

/** Counts of exercised features, so that a run that exercised nothing does not pass. */
export type Counts = {
  requests: number;
  threads: number;
  compactions: number;
  inAnswer: number;
  withSummaries: number;
  fallbacks: number;
  tooLong: number;
  branches: number;
  editedSummaries: number;
  shortened: number;
  shortenedResults: number;
  policies: Record<string, number>;
};

export type DriveResult = { readonly counts: Counts; readonly contradictions: readonly string[] };

type Options = {
  readonly seed: number;
  readonly requests: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Set by controls: called before the first thread, with whether an answer has begun. */
  readonly onStart?: (instance: Instance, isBegun: () => boolean) => void;
  /** Set by controls: returns a receipt that is not the one stored. */
  readonly alter?: (receipt: Receipt) => Receipt;
  readonly policies?: readonly PolicyName[];
  readonly stopAtFirst?: boolean;
  /** Threads that are driven concurrently. */
  readonly atOnce?: number;
};

type Conversation = {
  /** Part of each of its messages, to distinguish its requests from those of other threads. */
  readonly tag: string;
  readonly number: number;
  readonly dice: Dice;
  captured: ModelRequest[];
  plan: readonly string[];
  onTool: () => Promise<void>;
};

/** Random conversations through the real server, until so many requests were sent; each is checked as soon as its turn ends. */
export async function driveThreads({
  seed,
  requests,
  env = {},
  onStart,
  alter = (receipt) => receipt,
  policies = POLICIES,
  stopAtFirst,
  atOnce = 1,
}: Options): Promise<DriveResult> {
  const windowDice = createDice(seed);
  const counts: Counts = {
    requests: 0,
    threads: 0,
    compactions: 0,
    inAnswer: 0,
    withSummaries: 0,
    fallbacks: 0,
    tooLong: 0,
    branches: 0,
    editedSummaries: 0,
    shortened: 0,
    shortenedResults: 0,
    policies: {},
  };
  const contradictions: string[] = [];
  const windows = new Map<string, number>();
  const conversations = new Map<string, Conversation>();
  const find = (text: string): Conversation => {
    const tag = text.match(/\bTag\d+z\b/g)?.at(-1) ?? "";
    const found = conversations.get(tag);
    if (!found) throw new Error(`a request of no conversation: ${text.slice(0, 200)}`);
    return found;
  };
  const look = tool({
    name: "look",
    limits: { timeoutMs: 20_000, resultTokens: 1_500 },
    execute: async (input: unknown) => {
      const { q = "" } = input as { q?: string };
      const { dice, onTool } = find(q);
      await onTool();
      return { output: `${q} ${dice.words(dice.pick([10, 60, 300, 900, 2_500]))}` };
    },
  });
  const script: Script = Object.assign(
    (request: ModelRequest): readonly ModelEvent[] => {
      if (request.system.startsWith("You summarize")) return say(summarize(request, windowDice));
      const { dice, captured, plan, tag } = find(JSON.stringify(request.messages));
      captured.push(request);
      const move = plan[captured.length - 1] ?? "say";
      const isLong = JSON.stringify(request.messages).length > 8_000;
      const failure = move === "too-long" && !isLong ? undefined : failures[move];
      if (failure) return [{ type: "failed", failure }];
      if (move !== "look" || request.toolChoice === "none" || !request.tools.some(({ name }) => name === "look")) {
        return say(`${dice.mark()} ${dice.words(dice.pick([5, 40, 200]))}`);
      }
      const calls = Array.from({ length: dice.pick([1, 1, 2]) }, () => dice.mark());
      return call(
        ...calls.map((q) => ({ name: "look", input: JSON.stringify({ q: `${q} ${tag}` }), id: `call-${q}` })),
      );
    },
    { windowOf: (id: string) => windows.get(id) ?? 32_000 },
  );
  const instance = await createInstance({
    script,
    tools: [look],
    env: { STONECHAT_SUMMARY_MODELS: scriptedIds.backup, STONECHAT_MAX_STEPS: "14", ...env },
  });
  onStart?.(instance, () => [...conversations.values()].some(({ captured }) => captured.length > 0));
  const { client, server, start, send, follow } = instance;
  const { read } = server.store;

  const driveThread = async (): Promise<void> => {
    const number = (counts.threads += 1);
    const dice = createDice(seed * 1_000 + number);
    const chat: Conversation = { tag: `Tag${number}z`, number, dice, captured: [], plan: [], onTool: async () => {} };
    conversations.set(chat.tag, chat);
    const threadId = await start();
    const params = { threadId };
    const live = follow(threadId);
    const seen = new Set<string>();
    let last: SentRequest | null = null;
    let runs = 0;
    const turns = dice.between(8, 22);
    for (let turn = 0; turn < turns && counts.requests < requests; turn += 1) {
      if (turn === 0 || dice.chance(0.12)) {
        await client.changeThread({ params, body: { id: mintId(), policy: dice.pick(policies) } });
      }
      if (turn > 2) await meddle(instance, threadId, live, dice, counts);
      chat.captured = [];
      chat.plan = dice.plan();
      chat.onTool = async () => {
        if (!dice.chance(0.05)) return;
        counts.editedSummaries += (await editSummary(instance, threadId, dice)) ? 1 : 0;
      };
      await act(turn);
      runs += 1;
      await live.ended(runs);
      last = await checkTurn(threadId, chat, { seen, last });
      if (stopAtFirst && contradictions.length > 0) break;
    }
    live.close();

    async function act(turn: number): Promise<void> {
      const text = `${dice.mark()} ${chat.tag} ${dice.words(dice.pick([5, 30, 120, 400, 1_500]))}`;
      const branch = turn > 1 && dice.chance(0.15);
      if (!branch) return void (await send(threadId, text));
      counts.branches += 1;
      const { messages } = await client.getThread({ params });
      const recent = messages.slice(-8);
      if (dice.chance(0.5)) {
        const answer = recent.findLast(({ role }) => role === "assistant");
        if (answer) {
          const messageId = answer.id;
          return void (await client.regenerateMessage({ params: { threadId, messageId }, body: { id: mintId() } }));
        }
      }
      const asked = dice.pick(recent.filter(({ role }) => role === "user"));
      await client.editMessage({ params: { threadId, messageId: asked.id }, body: { id: mintId(), text } });
    }
  };

  const checkTurn = async (
    threadId: string,
    { captured, number }: Conversation,
    { seen, last }: { readonly seen: Set<string>; readonly last: SentRequest | null },
  ): Promise<SentRequest | null> => {
    let previous = last;
    let first: SentRequest | null = null;
    const rows = (await read.receipts(threadId, 100, null)).filter(({ id }) => !seen.has(id)).toReversed();
    for (const { id } of rows) seen.add(id);
    const ids = rows.map(({ id }) => id);
    const calls = new Map((await read.callsOfReceipts(threadId, ids)).map((one) => [one.receipt, one]));
    const [runRow] = await read.runs(threadId, 1);
    const { branchId, depth, view } = JSON.parse(runRow!.body) as {
      branchId: string;
      depth: number;
      view: { messageId: string };
    };
    if (rows.length !== captured.length) contradictions.push(`${captured.length} requests and ${rows.length} receipts`);
    const { messages: path } = await loadWindow(read, {
      thread: threadId,
      branch: branchId,
      upTo: depth,
      count: 10_000,
    });
    const receipts = rows.map(({ body }) => alter(JSON.parse(body) as Receipt));
    const summaries = await listSummaries(threadId, branchId, depth, receipts);
    for (const [index, request] of captured.entries()) {
      const [row, receipt] = [rows[index], receipts[index]];
      if (!row || !receipt) continue;
      const { step } = calls.get(row.id)!;
      countRequest(receipt, index);
      const sent = { request, receipt };
      const found = [
        ...findContradictions({ ...sent, step, answerId: view.messageId, path, summaries }),
        ...findChanges(sent, { previous, first }),
      ];
      previous = sent;
      first ??= sent;
      contradictions.push(
        ...found.map((one) => `seed ${seed} thread ${number} ${receipt.policy} step ${step} request ${index}: ${one}`),
      );
    }
    return previous;
  };

  const listSummaries = async (
    threadId: string,
    branch: string,
    depth: number,
    receipts: readonly Receipt[],
  ): Promise<readonly KnownSummary[]> => {
    const segments = await read.segments({ thread: threadId, branch, upTo: depth }, WHOLE);
    const onPath = await read.summariesOn(threadId, segments);
    const named = receipts.flatMap(({ items }) => items.flatMap(({ kind, id }) => (kind === "summary" ? [id] : [])));
    const ids = new Set([...onPath.map(({ id }) => id), ...named]);
    return Promise.all([...ids].map((id) => readSummary(threadId, id)));
  };

  const readSummary = async (threadId: string, id: string): Promise<KnownSummary> => {
    const [row, changes] = await Promise.all([read.summary(id), read.summaryChanges(threadId, id)]);
    const versions = [row?.fields ?? "", ...changes.flatMap(({ before, after }) => [before, after])];
    const texts = versions.flatMap((fields) => {
      const overview = fields === "" ? "" : (JSON.parse(fields) as { overview: string }).overview;
      const line = overview.replace(/\s+/g, " ").trim().slice(0, 100);
      return line === "" ? [] : [line];
    });
    return { id, fromDepth: row?.from_depth ?? 0, toDepth: row?.to_depth ?? 0, texts };
  };

  const countRequest = ({ policy, epoch, items, model }: Receipt, index: number): void => {
    counts.requests += 1;
    counts.policies[policy] = (counts.policies[policy] ?? 0) + 1;
    if (epoch.opened !== null) counts.compactions += 1;
    if (epoch.opened !== null && index > 0) counts.inAnswer += 1;
    if (epoch.opened === "too-long") counts.tooLong += 1;
    if (items.some(({ kind }) => kind === "summary")) counts.withSummaries += 1;
    if (items.some(({ room }) => room !== undefined)) counts.shortened += 1;
    if (items.some(({ shortened }) => shortened !== undefined)) counts.shortenedResults += 1;
    if (model === scriptedIds.backup) counts.fallbacks += 1;
  };

  try {
    while (counts.requests < requests && !(stopAtFirst && contradictions.length > 0)) {
      for (const id of Object.values(scriptedIds)) windows.set(id, windowDice.pick(WINDOWS));
      await Promise.all(Array.from({ length: atOnce }, driveThread));
      conversations.clear();
    }
  } finally {
    await instance.close();
  }
  return { counts, contradictions };
}

/** Names every mark that it was given, so that a message can be found in its summary. */
function summarize(request: ModelRequest, dice: Dice): string {
  if (dice.chance(0.1)) return "I cannot do that.";
  const userText = request.messages.map((message) => (message.role === "user" ? message.text : "")).join("\n");
  const marks = [...new Set(userText.match(/\bK[a-z]+q\b/g) ?? [])].slice(0, 30);
  return JSON.stringify({ overview: `They spoke of ${marks.join(" ")}.`, keyPoints: [] });
}

/** User actions between two turns. */
async function meddle(
  instance: Instance,
  threadId: string,
  live: ReturnType<Instance["follow"]>,
  dice: Dice,
  counts: Counts,
): Promise<void> {
  const { client } = instance;
  const params = { threadId };
  if (dice.chance(0.15)) {
    await client.summarize({ params, body: { id: mintId() } }).catch(() => undefined);
    await settled(instance, live, threadId);
  }
  if (dice.chance(0.06)) counts.editedSummaries += (await editSummary(instance, threadId, dice)) ? 1 : 0;
  if (dice.chance(0.04)) await client.addPin({ params, body: { id: mintId(), text: dice.words(8) } });
  if (dice.chance(0.04)) {
    const { epochs } = await client.getContext({ params });
    const newest = epochs.find(({ undone }) => !undone);
    if (newest) await client.undoEpoch({ params: { threadId, epochId: newest.id }, body: { id: mintId() } });
  }
}

async function settled({ client }: Instance, live: ReturnType<Instance["follow"]>, threadId: string): Promise<void> {
  const changes = () => live.rows.filter(({ event }) => event.type === "context-changed").length;
  for (let seen = 0; ; seen = changes()) {
    const { summaries } = await client.listSummaries({ params: { threadId } });
    if (summaries.every(({ status }) => status !== "generating")) return;
    await live.until(() => changes() > seen);
  }
}

async function editSummary({ client }: Instance, threadId: string, dice: Dice): Promise<boolean> {
  const { summaries } = await client.listSummaries({ params: { threadId } });
  const one = summaries.find(({ status, fields }) => status !== "generating" && fields !== null);
  if (!one) return false;
  const fields = {
    overview: `Edited ${dice.mark()}.`,
    keyPoints: [],
    decisions: [],
    actionItems: [],
    openQuestions: [],
  };
  const params = { threadId, summaryId: one.id };
  const edit = client.editSummary({ params, body: { id: mintId(), fields: { ...fields, toolResults: [] } } });
  return edit.then(
    () => true,
    () => false,
  );
}
