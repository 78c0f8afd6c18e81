import { indentOf } from "./loose.ts";

/** Maps the model's indentation to the file's; null: unknown. */
type Reindent = (indent: string) => string | null;

/** A line of the file and the model's version of it. */
export type Pair = { readonly line: string; readonly wanted: string };

/** Learned from matching lines. `written`: all lines by the model, which give its indentation step. */
export function learnIndent(pairs: readonly Pair[], file: readonly string[], written: readonly string[]): Reindent {
  const known = new Map<string, string>();
  for (const { line, wanted } of pairs) {
    if (line.trim() === "" || wanted.trim() === "") continue;
    const [theirs, ours] = [indentOf(wanted), indentOf(line)];
    if (known.has(theirs) && known.get(theirs) !== ours) return () => null;
    known.set(theirs, ours);
  }
  const all = [...known];
  if (all.every(([theirs, ours]) => theirs === ours)) return (indent) => indent;
  const added = findAdded(all);
  const cut = findAdded(all.map(([theirs, ours]) => [ours, theirs]));
  const shifted: Reindent = (indent) => {
    if (added !== null) return added + indent;
    return cut !== null && indent.startsWith(cut) ? indent.slice(cut.length) : null;
  };
  const stepped = stepwise(known, findStep(written), findStep(file));
  return (indent) => {
    const [one, other] = [shifted(indent), stepped(indent)];
    // Shifted, or a different step width: if the two give different results, it is ambiguous.
    return one !== null && other !== null && one !== other ? null : (one ?? other);
  };
}

/** The prefix that turns the first of every pair into the second; null if no single prefix does. */
function findAdded(pairs: readonly (readonly [string, string])[]): string | null {
  const [[first, second] = ["", ""]] = pairs;
  if (!second.endsWith(first)) return null;
  const added = second.slice(0, second.length - first.length);
  return pairs.every(([one, other]) => other === added + one) ? added : null;
}

/** Maps one step of the model to one step of the file: tabs to spaces, or two spaces to four. */
function stepwise(known: ReadonlyMap<string, string>, theirStep: string | null, ourStep: string | null): Reindent {
  const count = (indent: string, step: string | null): number | null => {
    if (indent === "") return 0;
    if (step === null || indent !== step.repeat(indent.length / step.length)) return null;
    return indent.length / step.length;
  };
  const shifts = new Set<number | null>();
  for (const [theirs, ours] of known) {
    const [n, m] = [count(theirs, theirStep), count(ours, ourStep)];
    shifts.add(n === null || m === null ? null : m - n);
  }
  const [shift = null] = shifts;
  return (indent) => {
    const sure = known.get(indent);
    if (sure !== undefined) return sure;
    const n = count(indent, theirStep);
    if (shifts.size !== 1 || shift === null || n === null || ourStep === null || n + shift < 0) return null;
    return ourStep.repeat(n + shift);
  };
}

/** A tab, or the number of spaces that divides all indents; null: no indentation, or mixed. */
function findStep(lines: readonly string[]): string | null {
  const indents = new Set(lines.filter((line) => line.trim() !== "").map(indentOf));
  indents.delete("");
  if (indents.size === 0) return null;
  const list = [...indents];
  if (list.every((indent) => /^\t+$/.test(indent))) return "\t";
  if (!list.every((indent) => /^ +$/.test(indent))) return null;
  const lengths = list.map((indent) => indent.length).toSorted((a, b) => a - b);
  const steps = lengths.map((length, index) => length - (lengths[index - 1] ?? 0)).filter((step) => step > 1);
  return steps.length === 0 ? null : " ".repeat(Math.min(...steps));
}
