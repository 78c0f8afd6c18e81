export type Run = { readonly text: string; readonly marked: boolean };

/** A snippet cut at its marks. Marks that overlap or lie outside are taken as far as they make sense. */
export function splitMarks(text: string, marks: readonly (readonly [number, number])[]): readonly Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const [start, end] of marks.toSorted((a, b) => a[0] - b[0])) {
    const from = Math.max(start, at);
    const to = Math.min(end, text.length);
    if (from >= to) continue;
    if (from > at) runs.push({ text: text.slice(at, from), marked: false });
    runs.push({ text: text.slice(from, to), marked: true });
    at = to;
  }
  if (at < text.length) runs.push({ text: text.slice(at), marked: false });
  return runs;
}
