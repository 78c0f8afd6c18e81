import { RE2JS } from "re2js";
import { setImmediate } from "node:timers/promises";
import { splitLines } from "./lines.ts";

export type SearchText = { readonly path: string; readonly text: string };
export type Match = {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly around: readonly string[];
};
type Matches = {
  /** Total matches in all files; `shown` is limited. */
  readonly total: number;
  readonly files: number;
  readonly shown: readonly Match[];
};

type Query = {
  readonly pattern: string;
  readonly caseSensitive: boolean;
  readonly signal: AbortSignal;
};

const LONGEST_PATTERN = 300;
/** Limit for the compiled pattern, in states. */
const LARGEST_PROGRAM = 2_000;
/** Characters searched per line. */
const LONGEST_LINE = 2_000;
const LONGEST_SHOWN = 240;
const MOST_SHOWN = 60;
const MOST_OF_FILE = 15;
/** Characters searched before yielding to the event loop. */
const TURN_CHARACTERS = 100_000;

/**
 * Searches line by line in linear time: RE2 does not backtrack, so no pattern can make it hang. Patterns with look-around or
 * backreferences are rejected.
 */
export async function searchTexts(texts: AsyncIterable<SearchText>, query: Query): Promise<Matches> {
  const pattern = compile(query);
  const shown: Match[] = [];
  let [total, files, read] = [0, 0, 0];
  for await (const { path, text } of texts) {
    const lines = splitLines(text).lines.map((line) => line.text);
    let found = 0;
    for (const [index, line] of lines.entries()) {
      read += Math.min(line.length, LONGEST_LINE) + 1;
      if (read > TURN_CHARACTERS) {
        read = 0;
        await setImmediate();
        query.signal.throwIfAborted();
      }
      if (!pattern.test(line.slice(0, LONGEST_LINE))) continue;
      found += 1;
      if (shown.length < MOST_SHOWN && found <= MOST_OF_FILE) shown.push(toMatch(path, lines, index));
    }
    total += found;
    if (found > 0) files += 1;
  }
  return { total, files, shown };
}

function compile({ pattern, caseSensitive }: Query): RE2JS {
  if (pattern.length > LONGEST_PATTERN) throw new Error(`A pattern can have at most ${LONGEST_PATTERN} characters.`);
  const compiled = tryCompile(pattern, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  if (compiled.programSize() > LARGEST_PROGRAM) throw new Error("The pattern has too many repetitions. Simplify it.");
  return compiled;
}

function tryCompile(pattern: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(pattern, flags);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "";
    throw new Error(
      `The pattern is invalid (${why}). Use RE2 syntax, without look-around and backreferences, and escape literal characters like ( [ . * with \\.`,
      { cause: error },
    );
  }
}

const cut = (line: string): string =>
  line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN).toWellFormed()}…` : line;

function toMatch(path: string, lines: readonly string[], index: number): Match {
  const around = [index - 1, index, index + 1].flatMap((at) => {
    const line = lines[at];
    return line === undefined ? [] : [`${at + 1}${at === index ? ":" : "-"} ${cut(line)}`];
  });
  return { path, line: index + 1, text: cut(lines[index] ?? ""), around };
}
