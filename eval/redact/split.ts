import type { Redactor } from "../../server/redact/redact.ts";
import type { SecretFile } from "./benign-and-secret.ts";

/** Longer files are cut at every place of their beginning only, which is where their secrets are. */
const lengthLimit = 2_000;

/** Each file is split in two at every position, and into single characters. Any difference from the unsplit result is a leak. */
export function countSplitLeaks(redactor: Redactor, files: readonly SecretFile[]) {
  let [value, n] = [0, 0];
  for (const text of files.map((file) => file.text.slice(0, lengthLimit))) {
    const whole = redactIn(redactor, [text]);
    const cuts = Array.from({ length: text.length }, (_, at) => [text.slice(0, at), text.slice(at)]);
    for (const pieces of [...cuts, [...text]]) {
      n += 1;
      if (redactIn(redactor, pieces) !== whole) value += 1;
    }
  }
  return { value, n };
}

function redactIn(redactor: Redactor, pieces: readonly string[]): string {
  const stream = redactor.stream();
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}
