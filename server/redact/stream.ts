import { createCutter, type CutterOptions } from "./cut.ts";
import { toSpread, type Spread } from "./find/find-secrets.ts";
import type { Finder } from "./find/span.ts";
import type { Found } from "./found.ts";
import { createValueFinder } from "./known.ts";
import { redactText, type Tools } from "./replace.ts";

export type RedactedStream = {
  /** What of the text so far is decided and not handed out yet; may be empty. */
  readonly push: (chunk: string) => string;
  /** The rest. */
  readonly end: () => string;
  /** Of what was handed out. */
  readonly found: () => readonly Found[];
};

/** Where the text may be cut is a matter of the text alone, so the pieces it came in cannot change the result. */
export function createStream(options: CutterOptions & Tools): RedactedStream {
  const cutter = createCutter(options);
  const found: Found[] = [];
  let spread: readonly Spread[] = [];
  let findAgain: Finder | undefined;
  let handedOut = 0;

  const redact = (segment: string): string => {
    const more = findAgain ? [...options.more, findAgain] : options.more;
    const redacted = redactText(segment, { more, toPlaceholder: options.toPlaceholder });
    for (const one of redacted.found) found.push({ ...one, where: { path: [], offset: handedOut + one.where.offset } });
    if (redacted.found.length > 0) {
      const seen = spread.length;
      spread = toSpread([...spread, ...redacted.found.map(({ secret, kind }) => ({ text: secret, kind }))]);
      if (spread.length > seen) findAgain = createValueFinder(spread);
    }
    handedOut += redacted.value.length;
    return redacted.value;
  };

  return {
    push: (chunk) => cutter.push(chunk).map(redact).join(""),
    end: () => cutter.end().map(redact).join(""),
    found: () => found,
  };
}
