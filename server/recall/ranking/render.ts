import type { Speaker } from "./docs.ts";

/** Recalled text of one message. */
type RecalledText = {
  readonly depth: number;
  readonly role: Speaker;
  readonly at: number;
  readonly text: string;
};

const marks: Readonly<Record<Speaker, string>> = { user: ">", assistant: "<", tool: "#" };

/**
 * In order of time: a line with the date for each new day, then a line for each message with its short id, the speaker (`>` user,
 * `<` assistant, `#` tool) and the text.
 */
export function renderRecalled(recalled: readonly RecalledText[]): string {
  const lines: string[] = [];
  let last: RecalledText | undefined;
  for (const one of recalled) {
    if (last === undefined || opensDate(last, one)) lines.push(toDate(one.at));
    lines.push(renderLine(one));
    last = one;
  }
  return lines.join("\n");
}

/** Whether two messages are separated by a date line. */
const opensDate = (last: Pick<RecalledText, "at">, next: Pick<RecalledText, "at">): boolean =>
  toDate(last.at) !== toDate(next.at);

export const renderLine = ({ depth, role, text }: RecalledText): string => `m${depth}${marks[role]} ${text}`;
export const toDate = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Estimates without a tokenizer: four ASCII characters per token, 0.8 tokens per other character. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) others += 1;
  return (text.length - others) / 4 + others * 0.8;
}
