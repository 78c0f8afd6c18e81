import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { countTokens } from "../../../lib/tokens.ts";
import type { EncodedRequest, CachePoint } from "../to-prompt.ts";
import type { CacheRule, Codec } from "./codec.ts";

type MarkOptions = EncodedRequest & {
  readonly spots: readonly CachePoint[];
  readonly codec: Codec;
  readonly rule: CacheRule;
};

/**
 * Sets cache marks: one after tools and system, one after the opening block, the others at the newest points. The provider
 * searches about 20 blocks before a mark for a cached prefix. A step may add more blocks than that, so the last point of the
 * previous call is marked again. Changes the prompt in place.
 */
export const markForCache = ({ prompt, tools, spots, codec, rule }: MarkOptions): EncodedRequest => {
  const { namespace } = codec;
  const enough = findEnough(prompt, JSON.stringify(tools), rule.minTokens);
  if (enough === undefined) return { prompt, tools };
  const isBig = ({ message, part }: CachePoint): boolean =>
    message > enough.message || (message === enough.message && part >= enough.part);
  const usable = spots.filter((spot) => isBig(spot) && !(rule.openingOnly && spot.kind === "user"));
  const hasSystem = prompt[0]?.role === "system";
  const isFixed = hasSystem ? enough.message <= 0 : enough.message < 0;
  const opening = usable.filter(({ kind }) => kind === "opening");
  const newest = usable
    .filter(({ kind }) => kind !== "opening")
    .slice(opening.length + Number(isFixed) - rule.maxMarks);

  for (const spot of [...opening, ...newest]) markPart(prompt, spot, namespace);
  if (!isFixed) return { prompt, tools };
  if (!hasSystem)
    return { prompt, tools: tools.map((tool) => (tool === tools.at(-1) ? withMark(tool, namespace) : tool)) };
  markMessage(prompt, 0, namespace);
  return { prompt, tools };
};

const withMark = <T extends { readonly providerOptions?: SharedV4ProviderOptions }>(one: T, namespace: string): T => ({
  ...one,
  providerOptions: {
    ...one.providerOptions,
    [namespace]: { ...one.providerOptions?.[namespace], cacheControl: { type: "ephemeral" } },
  },
});

const markMessage = (prompt: LanguageModelV4Prompt, at: number, namespace: string): void => {
  const message = prompt[at];
  if (message !== undefined) prompt[at] = withMark(message, namespace);
};

/** OpenRouter's package accepts a mark on an answer only for the whole message, not for a part. */
const markPart = (prompt: LanguageModelV4Prompt, { message: at, part }: CachePoint, namespace: string): void => {
  const message = prompt[at];
  if (message === undefined || message.role === "system") return;
  if (message.role === "assistant" && namespace === "openrouter") return markMessage(prompt, at, namespace);
  const content: (typeof message.content)[number][] = message.content;
  const found = content[part];
  if (found !== undefined && found.type !== "tool-approval-response") content[part] = withMark(found, namespace);
};

/** The first part at which the prompt has this many tokens; message -1 means the tools. undefined: the prompt is shorter. */
const findEnough = (prompt: LanguageModelV4Prompt, tools: string, minTokens: number) => {
  // Counting the beginning of a long text is enough.
  const count = (text: string) => countTokens(text.slice(0, minTokens * CHARACTERS_OF_LONG_TOKENS));
  let total = tools === "[]" ? 0 : count(tools);
  if (total >= minTokens) return { message: -1, part: 0 };
  for (const [message, { content }] of prompt.entries()) {
    const parts = typeof content === "string" ? [content] : content.map(toCountable);
    for (const [part, text] of parts.entries()) {
      total += count(text);
      if (total >= minTokens) return { message, part };
    }
  }
  return undefined;
};

const CHARACTERS_OF_LONG_TOKENS = 8;

type Piece = Exclude<LanguageModelV4Message["content"], string>[number];

const toCountable = (piece: Piece): string => {
  if (piece.type === "text" || piece.type === "reasoning") return piece.text;
  if (piece.type === "tool-call") return JSON.stringify(piece.input);
  return piece.type === "tool-result" && "value" in piece.output ? String(piece.output.value) : "";
};
