import { createCutter, type CutterOptions } from "./cut.ts";
import { selectDistinctive } from "./find/find-secrets.ts";
import type { Finder } from "./find/span.ts";
import type { Finding } from "./finding.ts";
import { createValueFinder, type SearchValue } from "./known.ts";
import { redactText, type RedactOptions } from "./replace.ts";

export type RedactedStream = {
  /** Returns the text that is decided and not yet returned; may be empty. */
  readonly push: (chunk: string) => string;
  /** Returns the rest. */
  readonly end: () => string;
  /** Secrets in the returned text. */
  readonly found: () => readonly Finding[];
};

/** Cuts depend only on the text, so the chunks cannot change the result. */
export function createStream(options: CutterOptions & RedactOptions): RedactedStream {
  const cutter = createCutter(options);
  const found: Finding[] = [];
  let repeated: readonly SearchValue[] = [];
  let findAgain: Finder | undefined;
  let returned = 0;

  const redact = (segment: string): string => {
    const more = findAgain ? [...options.more, findAgain] : options.more;
    const redacted = redactText(segment, { more, toPlaceholder: options.toPlaceholder });
    for (const one of redacted.found) found.push({ ...one, where: { path: [], offset: returned + one.where.offset } });
    if (redacted.found.length > 0) {
      const before = repeated.length;
      repeated = selectDistinctive([
        ...repeated,
        ...redacted.found.map(({ secret, kind }) => ({ text: secret, kind })),
      ]);
      if (repeated.length > before) findAgain = createValueFinder(repeated);
    }
    returned += redacted.value.length;
    return redacted.value;
  };

  return {
    push: (chunk) => cutter.push(chunk).map(redact).join(""),
    end: () => cutter.end().map(redact).join(""),
    found: () => found,
  };
}
