import { indentOf } from "./loose.ts";

/** How the indentation of what a model wrote becomes that of the file; null: it cannot be told. */
export type Reindent = (indent: string) => string | null;

/** A line of the file and how the model wrote it. */
export type Pair = { readonly line: string; readonly wanted: string };

/** From lines that are known to be the same. `written` are all lines that the model wrote: they tell its step. */
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
    // Moved by so much, or with steps of another width: where that makes a difference, it is not known which.
    return one !== null && other !== null && one !== other ? null : (one ?? other);
  };
}

/** What stands before each of the first to make the second; null: not the same for all. */
function findAdded(pairs: readonly (readonly [string, string])[]): string | null {
  const [[first, second] = ["", ""]] = pairs;
  if (!second.endsWith(first)) return null;
  const added = second.slice(0, second.length - first.length);
  return pairs.every(([one, other]) => other === added + one) ? added : null;
}

/** One step of theirs is one of ours: tabs and spaces, or two spaces and four. */
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

/** A tab, or the number of spaces that all indents are multiples of; null: nothing is indented, or both are used. */
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
