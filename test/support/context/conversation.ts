import type { Receipt } from "../../../protocol/context/receipt.ts";
import type { MessageView } from "../../../protocol/fold.ts";
import type { PromptMessage } from "../../../protocol/model.ts";
import type { Part, ToolState } from "../../../protocol/parts.ts";
import {
  assemble,
  toPrevious,
  type AssembledPrompt,
  type Compaction,
  type Previous,
  type PromptInputs,
} from "../../../server/context/assemble.ts";
import { countTokens } from "../../../server/lib/tokens.ts";

/** Complete messages and snapshots; a test sets only the fields it is about. */
export const NOW = Date.UTC(2026, 10, 15, 9, 30);
const head = { branchId: "b", runId: null, variants: [] };

export const textPart = (id: string, n: number, text: string, step = 0): Part => ({
  id: `${id}.${n}`,
  v: 1,
  n,
  step,
  kind: "text",
  state: "done",
  text,
});

export const toolPart = (
  id: string,
  n: number,
  step: number,
  output: unknown,
  state: ToolState = "ok",
  more: { readonly name?: string; readonly input?: unknown } = {},
): Part => ({
  id: `${id}.${n}`,
  v: 1,
  n,
  step,
  kind: "tool",
  callId: `${id}-${n}`,
  name: "look",
  state,
  input: {},
  output,
  ...more,
});

export const user = (depth: number, text: string): MessageView => ({
  ...head,
  createdAt: depth * 1000,
  id: `m${depth}`,
  role: "user",
  depth,
  parts: [textPart(`m${depth}`, 0, text)],
});

export const answer = (depth: number, parts: readonly Part[]): MessageView => ({
  ...head,
  createdAt: depth * 1000,
  id: `m${depth}`,
  role: "assistant",
  depth,
  parts,
});

const countPart = (part: Part): number => {
  if (part.kind === "text" || part.kind === "context" || part.kind === "reasoning") return countTokens(part.text);
  if (part.kind === "tool") return countTokens(JSON.stringify([part.name, part.input, part.output ?? part.errorText]));
  return 0;
};

export const countsOf = (messages: readonly MessageView[]) =>
  new Map(
    messages.flatMap(({ id, parts }) => parts.map((part): [string, number] => [`${id}/${part.n}`, countPart(part)])),
  );

export const snapshot = (messages: readonly MessageView[], more: Partial<PromptInputs> = {}): PromptInputs => ({
  policy: "stone",
  system: "You are careful.",
  messages,
  counts: countsOf(messages),
  answer: { id: "answer", depth: (messages.at(-1)?.depth ?? 0) + 1, part: 0 },
  compaction: null,
  delaysCompaction: false,
  memory: [],
  pins: [],
  state: null,
  summaries: [],
  recalled: [],
  digests: [],
  now: NOW,
  note: "",
  tools: [],
  toolChoice: "auto",
  effort: "medium",
  model: { id: "m", windowTokens: 8000, prices: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 } },
  previous: null,
  tooLong: null,
  untrusted: [],
  ...more,
});

export const run = (input: PromptInputs): AssembledPrompt =>
  assemble(input, countTokens, `epoch-${input.answer.depth}`);

export const withWindow = (windowTokens: number | null): Pick<PromptInputs, "model"> => ({
  model: { id: "m", windowTokens, prices: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 } },
});

export const textsOf = (messages: readonly PromptMessage[]): readonly string[] =>
  messages.map((message) => (message.role === "user" ? message.text : message.role));

/** The messages of user and assistant, without context updates. */
export const textsWithoutUpdates = (messages: readonly PromptMessage[]): readonly string[] =>
  textsOf(messages).filter((text) => !text.startsWith("<now>") && !text.startsWith("<context"));

/** Number of messages that are included or in an omitted range. */
export const countMessages = ({ items, leftOut }: Receipt): number =>
  new Set(items.filter(({ kind }) => kind === "message").map(({ id }) => id)).size +
  leftOut.reduce((sum, { messages }) => sum + messages, 0);

/** One step of an answer: its text and its tool results. */
export type AnswerStep = { readonly text: string; readonly results?: readonly unknown[] };

/** Stores the result of each call like the product does, and passes it to the next. */
export function converse(more: Partial<PromptInputs> = {}) {
  let messages: MessageView[] = [];
  let epoch: Compaction | null = null;
  let previous: Previous | null = null;
  let now = NOW;
  const calls: AssembledPrompt[] = [];

  const call = (more2: Partial<PromptInputs>): AssembledPrompt => {
    const current = messages.at(-1);
    if (!current) throw new Error("no message yet");
    const since = messages.filter(({ depth }) => depth > (epoch?.depth ?? 0));
    const input = snapshot(since, {
      answer: { id: current.id, depth: current.depth, part: current.parts.length },
      compaction: epoch,
      previous,
      now,
      ...more,
      ...more2,
    });
    const made = run(input);
    calls.push(made);
    if (made.update) {
      const { tokens: _, ...told } = made.update;
      const n = current.parts.length;
      const part: Part = { id: `${current.id}.${n}`, v: 1, n, step: 1, kind: "context", ...told };
      messages = [...messages.slice(0, -1), { ...current, parts: [...current.parts, part] }];
    }
    if (made.compaction && made.receipt.epoch.id !== null) {
      const { depth, summaryHead: text, state } = made.compaction;
      epoch = { id: made.receipt.epoch.id, depth, summaryHead: text, state, model: input.model.id };
    }
    const { receipt } = made;
    previous = toPrevious(receipt, now);
    return made;
  };

  return {
    calls,
    messages: () => messages,
    epoch: () => epoch,
    wait: (ms: number) => void (now += ms),
    /** A question and its answer, with one call per step. */
    turn: (
      question: string,
      steps: readonly AnswerStep[],
      more2: Partial<PromptInputs> = {},
    ): readonly AssembledPrompt[] => {
      const depth = messages.length + 1;
      messages = [...messages, user(depth, question), answer(depth + 1, [])];
      return steps.map(({ text, results = [] }, index) => {
        const made = call(more2);
        const current = messages.at(-1);
        if (!current) throw new Error("the answer is missing");
        let n = current.parts.length;
        const parts = [
          textPart(current.id, n++, text, index + 1),
          ...results.map((output) => toolPart(current.id, n++, index + 1, output)),
        ];
        messages = [...messages.slice(0, -1), { ...current, parts: [...current.parts, ...parts] }];
        now += 1000;
        return made;
      });
    },
  };
}
