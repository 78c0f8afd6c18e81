import type { MessageView } from "../../protocol/fold.ts";
import type { PromptMessage } from "../../protocol/model.ts";
import type { Part } from "../../protocol/parts.ts";
import type { SentPrompt, Session } from "../contestant.ts";

/**
 * A thread as a list of rows, as everybody but us keeps it: words, answers with their calls, one row for each result. Rows
 * keep their identity, so that what is sent again is the same object.
 */
export type Row = {
  readonly message: PromptMessage;
  /** Number of the turn that the text belongs to, from 0. */
  readonly turn: number;
};

export type Log = { readonly rows: readonly Row[]; readonly messages: readonly MessageView[]; readonly turn: number };

/** A session that sees the log as it is now. `settle` may do what a product does in the background. */
export function createSession(
  choose: (log: Log) => SentPrompt | Promise<SentPrompt>,
  settle: (log: Log) => void = () => {},
): Session {
  let log: Log = { rows: [], messages: [], turn: -1 };
  return {
    add: (message) => {
      log = addMessage(log, message);
    },
    grow: (answer, step) => {
      log = growAnswer(log, answer, step);
    },
    request: () => choose(log),
    settle: () => settle(log),
    probe: (question) => choose(addMessage(log, question)),
  };
}

export function addMessage(log: Log, message: MessageView): Log {
  const turn = message.role === "user" ? log.turn + 1 : log.turn;
  const rows = toRows(message.role, message.parts).map((row) => ({ message: row, turn }));
  return { rows: [...log.rows, ...rows], messages: [...log.messages, message], turn };
}

function growAnswer(log: Log, answer: MessageView, step: readonly Part[]): Log {
  const rows = toRows("assistant", step).map((message) => ({ message, turn: log.turn }));
  const last = log.messages.at(-1);
  const messages =
    last?.id === answer.id
      ? [...log.messages.slice(0, -1), { ...last, parts: [...last.parts, ...step] }]
      : [...log.messages, { ...answer, parts: step }];
  return { ...log, rows: [...log.rows, ...rows], messages };
}

export function toRows(role: "user" | "assistant", parts: readonly Part[]): readonly PromptMessage[] {
  if (role === "user") return [{ role, text: textOf(parts) }];
  return [...Map.groupBy(parts, ({ step }) => step).values()].flatMap(toStepRows);
}

function toStepRows(parts: readonly Part[]): readonly PromptMessage[] {
  const calls = parts.filter((part) => part.kind === "tool");
  const said = textOf(parts);
  if (said === "" && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      parts: [
        ...(said === "" ? [] : [{ kind: "text" as const, text: said }]),
        ...calls.map(({ callId, name, input }) => ({ kind: "tool-call" as const, callId, name, input: input ?? {} })),
      ],
    },
    ...calls.map(({ callId, name, output }): PromptMessage => ({
      role: "tool",
      results: [{ callId, name, text: toText(output), failed: false }],
    })),
  ];
}

export const textOf = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.kind === "text" && part.text !== "" ? [part.text] : [])).join("\n\n");

export const toText = (output: unknown): string =>
  typeof output === "string" ? output : JSON.stringify(output ?? null);

/** Results whose call is not there are refused by every provider: a window must not open with them. */
export function dropOrphans(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const called = new Set<string>();
  return messages.filter((message) => {
    if (message.role === "assistant")
      for (const part of message.parts) if (part.kind === "tool-call") called.add(part.callId);
    return message.role !== "tool" || message.results.every(({ callId }) => called.has(callId));
  });
}
