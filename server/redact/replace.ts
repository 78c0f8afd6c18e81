import type { Span } from "./find/span.ts";
import type { ToPlaceholder } from "./placeholder.ts";
import type { Found, Redacted } from "./found.ts";

/** Puts placeholders where the spans are. The spans are in order and do not overlap. */
export function replaceSpans(text: string, spans: readonly Span[], toPlaceholder: ToPlaceholder): Redacted<string> {
  if (spans.length === 0) return { value: text, found: [] };
  const pieces: string[] = [];
  const found: Found[] = [];
  let from = 0;
  let length = 0;
  for (const { start, end, kind } of spans) {
    const secret = text.slice(start, end);
    const placeholder = toPlaceholder(secret);
    pieces.push(text.slice(from, start), placeholder);
    length += start - from;
    found.push({ placeholder, kind, secret, where: { path: [], offset: length } });
    length += placeholder.length;
    from = end;
  }
  pieces.push(text.slice(from));
  return { value: pieces.join(""), found };
}
