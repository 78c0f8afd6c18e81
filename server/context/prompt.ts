import type { MessageView } from "../../protocol/fold.ts";
import type { PromptMessage, PromptPart, PromptResult } from "../../protocol/model.ts";
import { isTerminal, type Part, type PartOf } from "../../protocol/parts.ts";

/**
 * A unit is what is kept or left out as a whole: a person's message, or one step of an answer with its calls and their
 * results. So no call is ever sent without its result.
 */
export type Unit = {
  readonly messageId: string;
  readonly depth: number;
  readonly role: "user" | "assistant";
  readonly parts: readonly Part[];
  readonly tokens: number;
  readonly messages: readonly PromptMessage[];
};

/** By the part's name `message/n`, as counted when it was written. */
export type TokenCounts = ReadonlyMap<string, number>;

/** What a message adds beyond its text: role marks and separators. */
const TOKENS_PER_MESSAGE = 4;

export function toUnits(messages: readonly MessageView[], counts: TokenCounts): readonly Unit[] {
  return messages.flatMap((message): Unit[] => {
    const parts = message.parts.filter((part) => part.aside === undefined);
    const tokens = (some: readonly Part[]) =>
      some.reduce((sum, part) => sum + (counts.get(`${message.id}/${part.n}`) ?? 0), TOKENS_PER_MESSAGE);
    const { id: messageId, depth, role } = message;
    if (role === "user") {
      const text = parts.filter((part) => part.kind === "text").map((part) => part.text);
      return [{ messageId, depth, role, parts, tokens: tokens(parts), messages: [{ role, text: text.join("\n\n") }] }];
    }
    return [...Map.groupBy(parts, (part) => part.step)]
      .toSorted(([a], [b]) => a - b)
      .map(([, step]) => ({
        messageId,
        depth,
        role,
        parts: step,
        tokens: tokens(step),
        messages: toStepMessages(step),
      }))
      .filter((unit) => unit.messages.length > 0);
  });
}

function toStepMessages(parts: readonly Part[]): readonly PromptMessage[] {
  const calls = parts.filter((part): part is PartOf<"tool"> => part.kind === "tool" && isTerminal(part.state));
  const said = parts.flatMap((part): PromptPart[] => {
    switch (part.kind) {
      case "text":
        return part.text === "" ? [] : [{ kind: "text", text: part.text }];
      case "reasoning":
        return calls.length > 0 && part.state === "done" ? [toReasoning(part)] : [];
      case "tool":
        return isTerminal(part.state) ? [toCall(part)] : [];
      default:
        return [];
    }
  });
  if (said.length === 0) return [];
  const answer: PromptMessage = { role: "assistant", parts: said };
  return calls.length ? [answer, { role: "tool", results: calls.map(toResult) }] : [answer];
}

/** Reasoning goes back only beside the calls it led to, where providers ask for it. */
const toReasoning = ({ text, provider }: PartOf<"reasoning">): PromptPart =>
  provider === undefined ? { kind: "reasoning", text } : { kind: "reasoning", text, provider };

const toCall = ({ callId, name, input, provider }: PartOf<"tool">): PromptPart => {
  const call = { kind: "tool-call" as const, callId, name, input: input ?? {} };
  return provider === undefined ? call : { ...call, provider };
};

const toResult = ({ callId, name, state, output, errorText, note }: PartOf<"tool">): PromptResult => {
  const text = state === "ok" ? toText(output) : (errorText ?? state);
  return { callId, name, text: note === undefined ? text : `[${note}]\n${text}`, failed: state !== "ok" };
};

const toText = (output: unknown): string => (typeof output === "string" ? output : JSON.stringify(output ?? null));
