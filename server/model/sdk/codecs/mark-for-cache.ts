import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { countTokens } from "../../../lib/tokens.ts";
import type { Encoded, Spot } from "../to-prompt.ts";
import type { CacheRule, Codec } from "./codec.ts";

type Marking = Encoded & { readonly spots: readonly Spot[]; readonly codec: Codec; readonly rule: CacheRule };

/**
 * Where the provider is to remember. One mark after tools and system, one after the opening block, the others at the newest
 * places. The provider looks back some 20 blocks from a mark for what it remembers; a step may add more than that, so the place
 * marked last by the call before is marked again: the two newest always reach it. The prompt is marked in place.
 */
export const markForCache = ({ prompt, tools, spots, codec, rule }: Marking): Encoded => {
  const { namespace } = codec;
  const enough = findEnough(prompt, JSON.stringify(tools), rule.leastTokens);
  if (enough === undefined) return { prompt, tools };
  const isBig = ({ message, part }: Spot): boolean =>
    message > enough.message || (message === enough.message && part >= enough.part);
  const usable = spots.filter((spot) => isBig(spot) && !(rule.openingOnly && spot.kind === "words"));
  const hasSystem = prompt[0]?.role === "system";
  const isFixed = hasSystem ? enough.message <= 0 : enough.message < 0;
  const opening = usable.filter(({ kind }) => kind === "opening");
  const newest = usable.filter(({ kind }) => kind !== "opening").slice(opening.length + Number(isFixed) - rule.most);

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

/** OpenRouter's package has room for a mark on an answer only beside it, not on one of its parts. */
const markPart = (prompt: LanguageModelV4Prompt, { message: at, part }: Spot, namespace: string): void => {
  const message = prompt[at];
  if (message === undefined || message.role === "system") return;
  if (message.role === "assistant" && namespace === "openrouter") return markMessage(prompt, at, namespace);
  const content: (typeof message.content)[number][] = message.content;
  const found = content[part];
  if (found !== undefined && found.type !== "tool-approval-response") content[part] = withMark(found, namespace);
};

/** The first place by which the prompt has this many tokens; message -1 stands for the tools. undefined: it never has. */
const findEnough = (prompt: LanguageModelV4Prompt, tools: string, least: number) => {
  // No text needs to be read to its end to know that it is long enough.
  const count = (text: string) => countTokens(text.slice(0, least * CHARACTERS_OF_LONG_TOKENS));
  let total = tools === "[]" ? 0 : count(tools);
  if (total >= least) return { message: -1, part: 0 };
  for (const [message, { content }] of prompt.entries()) {
    const parts = typeof content === "string" ? [content] : content.map(toCountable);
    for (const [part, text] of parts.entries()) {
      total += count(text);
      if (total >= least) return { message, part };
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
