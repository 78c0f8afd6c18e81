import { joinTexts, type MessageView } from "../../protocol/fold.ts";
import type { PromptMessage, PromptPart, PromptResult } from "../../protocol/model.ts";
import { isTerminal, type Part, type PartOf } from "../../protocol/parts.ts";

/**
 * A unit is what is kept or left out as a whole: a person's message, what was told ahead of it, or one step of an answer
 * with its calls and their results. So no call is ever sent without its result.
 */
export type Unit = {
  readonly kind: "update" | "message" | "step";
  /** The message that holds its parts. */
  readonly messageId: string;
  readonly depth: number;
  readonly parts: readonly Part[];
  readonly tokens: number;
  readonly messages: readonly PromptMessage[];
};

/** By the part's name `message/n`, as counted when it was written. */
export type TokenCounts = ReadonlyMap<string, number>;

/** What a message adds beyond its text: role marks and separators. */
export const TOKENS_PER_MESSAGE = 4;

export const toUnits = (messages: readonly MessageView[], counts: TokenCounts): readonly Unit[] =>
  messages.flatMap((message, index) =>
    message.role === "user"
      ? [...toUpdate(messages[index + 1], counts), ...toUnit("message", message, message.parts, counts)]
      : toSteps(message, counts),
  );

/** What stood ahead of the person's words belongs to the answer that was given to them. */
const toUpdate = (answer: MessageView | undefined, counts: TokenCounts): readonly Unit[] =>
  answer?.role === "assistant"
    ? toUnit(
        "update",
        answer,
        answer.parts.filter((part) => part.kind === "context"),
        counts,
      )
    : [];

const toSteps = (message: MessageView, counts: TokenCounts): readonly Unit[] => {
  const said = message.parts.filter((part) => part.kind !== "context" && part.aside === undefined);
  return [...Map.groupBy(said, (part) => part.step)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([, step]) => toUnit("step", message, step, counts));
};

/** Nothing, when these parts say nothing to a model. */
export function toUnit(
  kind: Unit["kind"],
  { id, depth }: Pick<MessageView, "id" | "depth">,
  parts: readonly Part[],
  counts: TokenCounts,
): readonly Unit[] {
  const messages = toMessages[kind](parts);
  if (messages.length === 0) return [];
  const tokens = parts.reduce((sum, part) => sum + (counts.get(`${id}/${part.n}`) ?? 0), TOKENS_PER_MESSAGE);
  return [{ kind, messageId: id, depth, parts, tokens, messages }];
}

const textMessage = (texts: readonly string[]): readonly PromptMessage[] =>
  texts.length === 0 ? [] : [{ role: "user", text: texts.join("\n\n") }];

const toMessages = {
  update: (parts: readonly Part[]) =>
    textMessage(parts.flatMap((part) => (part.kind === "context" ? [part.text] : []))),
  message: (parts: readonly Part[]) => [
    ...parts.flatMap(toFile),
    ...textMessage(parts.flatMap((part) => (part.kind === "text" && part.text !== "" ? [part.text] : []))),
  ],
  step: (parts: readonly Part[]) => toStepMessages(parts),
} as const;

/** Ahead of the words that speak of it, in a message of its own: pictures by hash, texts as they were bounded. */
function toFile(part: Part): readonly PromptMessage[] {
  if (part.kind !== "file" || part.digest === undefined) return [];
  const { digest: text, hash, mediaType, name = "", width } = part;
  if (width === undefined || hash === undefined) return [{ role: "user", text }];
  return [{ role: "user", text, images: [{ hash, mediaType, name }] }];
}

function toStepMessages(parts: readonly Part[]): readonly PromptMessage[] {
  const calls = parts.filter((part): part is PartOf<"tool"> => part.kind === "tool" && isTerminal(part.state));
  const said = joinTexts(parts).flatMap((part): PromptPart[] => {
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

export const toResult = ({ callId, name, state, output, digest, errorText, note }: PartOf<"tool">): PromptResult => {
  const text = state === "ok" ? (digest ?? toText(output)) : (errorText ?? state);
  return { callId, name, text: note === undefined ? text : `[${note}]\n${text}`, failed: state !== "ok" };
};

/** Before it was shortened. */
export const toWholeResult = ({ state, output, errorText }: PartOf<"tool">): string =>
  state === "ok" ? toText(output) : (errorText ?? state);

const toText = (output: unknown): string => (typeof output === "string" ? output : JSON.stringify(output ?? null));
