import { AIMessage, HumanMessage, ToolMessage, trimMessages, type LangchainMessage } from "@langchain/core/messages";
import { TokenLimiter, ToolCallFilter } from "@mastra/core/processors";
import { pruneMessages, type ModelMessage } from "ai";
import { ClearToolUsesEdit } from "langchain";
import type { PromptMessage } from "../../protocol/model.ts";
import type { Contestant, SentPrompt, ThreadFrame } from "../contestant.ts";
import { toMessagePiece, toPiece } from "../count/pieces.ts";
import { createSession, type Log } from "./log.ts";

/**
 * Libraries that choose without a model, by their own code: AI SDK's pruning, LangChain's trimming and tool clearing,
 * Mastra's processors. Rows go over in their shapes and come back as ours; what they leave alone stays the same object.
 */
export const PEER_TOKENS = 4_096;
/** LangChain clears at 100,000 tokens by default, which no thread here reaches: it would be append-only. */
const CLEAR = { trigger: { tokens: PEER_TOKENS }, keep: { messages: 3 } };

const rowsOf = ({ rows }: Log): readonly PromptMessage[] => rows.map(({ message }) => message);

/** Theirs of ours, made once; ours of theirs. */
type Bridge<T extends object> = {
  readonly to: (row: PromptMessage) => T;
  readonly back: (one: T) => PromptMessage | undefined;
};

function createBridge<T extends object>(convert: (row: PromptMessage) => T): Bridge<T> {
  const there = new WeakMap<PromptMessage, T>();
  const home = new WeakMap<T, PromptMessage>();
  return {
    to: (row) => {
      let one = there.get(row);
      if (one === undefined) {
        there.set(row, (one = convert(row)));
        home.set(one, row);
      }
      return one;
    },
    back: (one) => home.get(one),
  };
}

type SdkPart = {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: { readonly value: string };
};
type SdkMessage = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly SdkPart[];
};

/** The AI SDK's messages, which Mastra's prompts have the shape of, too. */
function toSdk(row: PromptMessage): SdkMessage {
  if (row.role === "user") return { role: "user", content: [{ type: "text", text: row.text }] };
  if (row.role === "tool") {
    const content = row.results.map(({ callId, name, text }) => ({
      type: "tool-result",
      toolCallId: callId,
      toolName: name,
      output: { type: "text", value: text },
    }));
    return { role: "tool", content };
  }
  const content = row.parts.map((part) =>
    part.kind === "tool-call"
      ? { type: "tool-call", toolCallId: part.callId, toolName: part.name, input: part.input }
      : { type: part.kind, text: part.text },
  );
  return { role: "assistant", content };
}

function fromSdk({ role, content }: SdkMessage): PromptMessage {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (role === "tool") {
    const results = parts.map(({ toolCallId = "", toolName = "", output }) => ({
      callId: toolCallId,
      name: toolName,
      text: output?.value ?? "",
      failed: false,
    }));
    return { role, results };
  }
  if (role !== "assistant") return { role: "user", text: parts.map(({ text = "" }) => text).join("\n") };
  return {
    role,
    parts: parts.map((part) =>
      part.type === "tool-call"
        ? { kind: "tool-call", callId: part.toolCallId ?? "", name: part.toolName ?? "", input: part.input }
        : { kind: "text", text: part.text ?? "" },
    ),
  };
}

const sdk = createBridge<SdkMessage>(toSdk);
const fromSdkAll = (list: readonly unknown[]): readonly PromptMessage[] =>
  (list as readonly SdkMessage[]).filter(({ role }) => role !== "system").map((one) => sdk.back(one) ?? fromSdk(one));

const toSent = (frame: ThreadFrame, messages: readonly PromptMessage[]): SentPrompt => ({
  system: frame.system,
  messages,
  aside: 0,
});

/** Trimming copies messages, so they are matched by id. */
const rowsById = new Map<string, PromptMessage>();
const langchain = createBridge<LangchainMessage>((row) => {
  const id = `row-${rowsById.size}`;
  rowsById.set(id, row);
  if (row.role === "user") return new HumanMessage({ id, content: row.text });
  if (row.role === "tool") {
    const [result] = row.results;
    const { text, callId, name } = result ?? { text: "", callId: "", name: "" };
    return new ToolMessage({ id, content: text, tool_call_id: callId, name });
  }
  const calls = row.parts.flatMap((part) =>
    part.kind === "tool-call" ? [{ id: part.callId, name: part.name, args: part.input, type: "tool_call" }] : [],
  );
  const text = row.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
  return new AIMessage({ id, content: text, tool_calls: calls });
});
const findRow = (one: LangchainMessage): PromptMessage | undefined => langchain.back(one) ?? rowsById.get(one.id ?? "");

const countLangchain = (list: readonly LangchainMessage[]): number =>
  list.reduce((total, one) => {
    const row = findRow(one);
    return total + (row === undefined ? toPiece(String(one.content)).tokens : toMessagePiece(row).tokens);
  }, 0);

/** The system text stands apart, outside the limit. */
const startTrim = (maxTokens: number) => (frame: ThreadFrame) =>
  createSession(async (log) => {
    const kept = await trimMessages(rowsOf(log).map(langchain.to), {
      maxTokens,
      tokenCounter: countLangchain,
      strategy: "last",
      startOn: "human",
    });
    return toSent(
      frame,
      kept.flatMap((one) => findRow(one) ?? []),
    );
  });

const startClear = (frame: ThreadFrame) => {
  const edit = new ClearToolUsesEdit(CLEAR);
  return createSession(async (log) => {
    const list = rowsOf(log).map(langchain.to);
    const before = [...list];
    await edit.apply({ messages: list, model: undefined, countTokens: countLangchain });
    return toSent(
      frame,
      list.map((one, index) => langchain.back(one) ?? clearRow(before[index], String(one.content))),
    );
  });
};

const cleared = new WeakMap<PromptMessage, PromptMessage>();

/** It replaces results in place, so a result that is not ours is a cleared one. */
function clearRow(original: LangchainMessage | undefined, text: string): PromptMessage {
  const row = original === undefined ? undefined : langchain.back(original);
  if (row?.role !== "tool") throw new Error("the library changed something other than a result");
  const known = cleared.get(row);
  if (known !== undefined) return known;
  const made: PromptMessage = { role: "tool", results: row.results.map((result) => ({ ...result, text })) };
  cleared.set(row, made);
  return made;
}

const startMastra = (limit: number | undefined, isFiltered: boolean) => (frame: ThreadFrame) => {
  const limiter = limit === undefined ? undefined : createLimiter(limit, frame);
  const filter = isFiltered ? new ToolCallFilter() : undefined;
  let turn = -1;
  let state = {};
  return createSession(async (log) => {
    if (log.turn !== turn) [turn, state] = [log.turn, {}];
    let prompt: readonly unknown[] = [{ role: "system", content: frame.system }, ...rowsOf(log).map(sdk.to)];
    if (filter) prompt = (await filter.processLLMRequest({ prompt, state }))?.prompt ?? prompt;
    if (limiter) prompt = (await limiter.processLLMRequest({ prompt }))?.prompt ?? prompt;
    return toSent(frame, fromSdkAll(prompt));
  });
};

/** Its limit is for the whole prompt: the system text comes on top. */
const createLimiter = (limit: number, frame: ThreadFrame): TokenLimiter =>
  new TokenLimiter({ limit: limit + toPiece(frame.system).tokens + 50 });

const limited = (limit: number): readonly Contestant[] => [
  {
    name: `langchain-trim-${limit}`,
    family: "peer",
    note: `@langchain/core 1.2.13 trimMessages, last ${limit} tokens, starts on a user message; when the turn itself is longer, nothing is left to send`,
    start: startTrim(limit),
  },
  {
    name: `mastra-limiter-${limit}`,
    family: "peer",
    note: `@mastra/core 1.71.0 TokenLimiterProcessor, ${limit} tokens, best fit`,
    start: startMastra(limit, false),
  },
];

export const peers: readonly Contestant[] = [
  {
    name: "ai-sdk-prune",
    family: "peer",
    note: "ai 7.0.169 pruneMessages, tool calls before the last 2 messages, empty ones removed",
    start: (frame) =>
      createSession((log) => {
        const messages = rowsOf(log).map(sdk.to) as ModelMessage[];
        const kept = pruneMessages({ messages, toolCalls: "before-last-2-messages", emptyMessages: "remove" });
        return toSent(frame, fromSdkAll(kept));
      }),
  },
  {
    name: "langchain-clear",
    family: "peer",
    note: `langchain 1.5.14 ClearToolUsesEdit at ${CLEAR.trigger.tokens} tokens (100,000 by default), keeps 3 results`,
    start: startClear,
  },
  {
    name: "mastra-filter",
    family: "peer",
    note: `@mastra/core 1.71.0 ToolCallFilter, then TokenLimiterProcessor at ${PEER_TOKENS}`,
    start: startMastra(PEER_TOKENS, true),
  },
  ...limited(PEER_TOKENS),
];

/** The same at the smaller of the two budgets of the evidence rows. */
export const smallPeers: readonly Contestant[] = limited(2_048);

/** Peers that are rows without figures. */
export const absent: Readonly<Record<string, string>> = {
  "memory-recall":
    "not run: the registry has no such package any more (404). Its authors told 78 % any, 67 % all at 4,096 tokens, on 48 LoCoMo questions",
  "mastra-observational-memory": "not run: every observation needs a model",
  "langchain-summarization":
    "not run: its summaries need a model inside an agent's graph; seeds 002 and 004 represent summaries by the stand-in",
};
