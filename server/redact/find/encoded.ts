import { toAlphabet, visitRuns } from "./runs.ts";
import type { Finder, Span } from "./span.ts";

/** What stands in base64 is read as well; where a secret is in it the whole run goes, for no part of it can be trusted. */
const alphabet = toAlphabet(/[A-Za-z0-9+/_-]/);
const least = 32;
const runLimit = 200_000;

export const findEncoded =
  (findSecrets: (text: string) => readonly Span[]): Finder =>
  (text, add) => {
    visitRuns(text, { alphabet, least }, (start, stop) => {
      if (stop - start > runLimit) return;
      let end = stop;
      while (end < stop + 2 && text[end] === "=") end += 1;
      const inside = decodeText(text.slice(start, end));
      if (inside !== undefined && findSecrets(inside).length > 0) add({ start, end, kind: "encoded" });
    });
  };

/** The text behind base64, where it is one: looked at by its beginning first, because most runs are pictures or hashes. */
export function decodeText(value: string): string | undefined {
  if (!isReadable(Buffer.from(value.slice(0, 32), "base64"))) return undefined;
  const bytes = Buffer.from(value, "base64");
  return isReadable(bytes) ? bytes.toString("utf8") : undefined;
}

function isReadable(bytes: Buffer): boolean {
  let strange = 0;
  for (const byte of bytes) if (byte !== 9 && byte !== 10 && byte !== 13 && (byte < 32 || byte > 126)) strange += 1;
  return strange <= bytes.length * 0.05;
}
