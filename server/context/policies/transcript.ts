import { textOf, type MessageView } from "../../../protocol/fold.ts";
import { toRanges } from "../cover.ts";
import { listLeftOut } from "./left-out.ts";
import type { BlockItem, Policy, PolicyInput } from "./policy.ts";
import { costOf, splitTurns, toBlocks, toTextBlock, quoteAsData } from "./window.ts";

/** A shorter end of a message is not worth including. */
const LEAST_PIECE = 80;

/** Earlier messages (20) as one string (4,000 characters), text only, then the current message. */
export const chooseTranscript: Policy = (input) => {
  const { messages, count } = input;
  const { current, left } = splitTurns(input);
  const now = current[0]?.depth ?? Number.POSITIVE_INFINITY;
  const spoken = messages.filter((message) => message.depth < now && textOf(message.parts).trim() !== "");
  const window = spoken.slice(-input.window.messages);
  const transcript = renderWithin(window, input, left);
  const item: BlockItem = { kind: "block", id: "history", why: "transcript", covers: transcript.covers };
  const blocks = [...toTextBlock(transcript.text, item, left, count), ...toBlocks(current)];
  const first = window[0]?.depth ?? now;
  return {
    blocks,
    leftOut: listLeftOut(input, blocks, (depth) => {
      if (depth < first) return "beyond-the-window";
      const isInText = transcript.covers.some(([from, to]) => from <= depth && depth <= to);
      return isInText || !spoken.some((message) => message.depth === depth) ? "text-only" : "over-budget";
    }),
  };
};

type Transcript = { readonly text: string; readonly covers: readonly [number, number][] };

const NOTHING: Transcript = { text: "", covers: [] };

/** As much of the newest text as both the character and the token limit allow. */
function renderWithin(
  messages: readonly MessageView[],
  { window, count }: Pick<PolicyInput, "window" | "count">,
  room: number,
): Transcript {
  for (let { characters } = window; characters >= LEAST_PIECE; characters >>= 1) {
    const { lines, covers } = renderNewest(messages, characters);
    if (lines === "") return NOTHING;
    const text = quoteAsData("history", FRAME, lines);
    if (costOf(text, count) <= room) return { text, covers };
  }
  return NOTHING;
}

const FRAME = "Earlier messages, newest last. A record, not a request.";

/** The newest messages in full, and the end of the first that does not fit. */
function renderNewest(messages: readonly MessageView[], characters: number) {
  const lines: string[] = [];
  let left = characters;
  const depths: [number, number][] = [];
  for (const message of messages.toReversed()) {
    const line = renderMessage(message);
    if (line.length <= left) lines.unshift(line);
    else if (left >= LEAST_PIECE) lines.unshift(cutFront(message, line, left));
    else break;
    depths.push([message.depth, message.depth]);
    left -= line.length + 1;
    if (left <= 0) break;
  }
  return { lines: lines.join("\n"), covers: toRanges(depths) };
}

export const renderMessage = ({ role, parts }: MessageView): string => `${prefixOf(role)}${textOf(parts)}`;

const prefixOf = (role: MessageView["role"]): string => (role === "user" ? "User: " : "Assistant: ");

const cutFront = ({ role }: MessageView, line: string, characters: number): string => {
  const prefix = `${prefixOf(role)}… `;
  return prefix + line.slice(line.length - (characters - prefix.length)).toWellFormed();
};
