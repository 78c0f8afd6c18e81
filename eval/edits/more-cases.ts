import { between, isBlank, join, key, numbers, put, toEdit, type Case, type Make } from "./case.ts";

/** Two parts are left out and the lines between them are changed; those may occur twice. */
export const twoEllipses: Make = ({ block, lines, start }, chance) => {
  const { search, path } = block;
  if (search.length < 7 || search.some((line) => isBlank(line) || /^\s*(\.\.\.|…)\s*$/.test(line))) return [];
  const at = between(chance, 2, search.length - 3);
  const first = search[0] ?? "";
  const last = search.at(-1) ?? "";
  const middle = search[at] ?? "";
  const [isTwice, line] = [chance() < 0.3, `between_${Math.floor(chance() * 1e6)}()`];
  const inner = isTwice ? put(search, at === 2 ? search.length - 2 : 1, 1, [middle]) : search;
  const all = put(lines, start, search.length, inner);
  const isOnce = inner.slice(1, -1).filter((one) => key(one) === key(middle)).length === 1;
  const edit = {
    path,
    search: [first, "...", middle, "...", last].join("\n"),
    replace: [first, "...", line, "...", last].join("\n"),
    ...numbers(start, search.length),
  };
  const expected = isOnce ? join(put(all, start + at, 1, [line])) : null;
  return [{ group: "two ellipses", text: join(all), edit, earlier: [], expected }];
};

/** The whole file is rewritten, with markers for unchanged parts. */
export const markers: Make = ({ block, lines, start }, chance, filler) => {
  if (/\.(?:md|mdx|markdown|txt|rst|adoc)$/i.test(block.path)) return [];
  const { search, replace } = block;
  const all = chance() < 0.5 ? lines : [...lines, ...filler(), ...search, ...filler()];
  const next = put(all, start, search.length, replace);
  const mark = "// ... keep existing code";
  const around = between(chance, 1, 3);
  // A line next to an omission is repeated to show its position.
  const isTelling = (line: string): boolean => key(line).length > 2;
  const from = next.slice(0, Math.max(start - around + 1, 0)).findLastIndex(isTelling);
  const below = Math.min(start + replace.length + around - 1, next.length);
  const ahead = next.slice(below).findIndex(isTelling);
  const to = ahead < 0 ? next.length : below + ahead + 1;
  if (from < 0) return [];
  const written = [mark, ...next.slice(from, to), ...(to < next.length ? [mark] : [])];
  const one = { text: join(all), edit: toEdit(block), earlier: [], written };
  // The line next to the marker does not stay, though an equal one follows later, so the kept part is ambiguous.
  const other = all.slice(start + 1).find((line) => key(line).length > 8 && key(line) !== key(all[start] ?? "")) ?? "";
  const misled = [...all.slice(0, start), other, mark];
  return [
    { ...one, group: "markers", expected: join(next) },
    { ...one, group: "markers, a line like another", written: misled, expected: null },
  ].filter(
    ({ written: text, expected }) =>
      expected !== one.text && (text !== misled || (other !== "" && isTelling(all[start] ?? ""))),
  );
};

/** Blocks that are all the same, each given some lines more in one go, counted in the file as it was. */
export const alike: Make = ({ block }, chance) => {
  if (chance() > 0.1) return [];
  const rows = between(chance, 3, 12);
  const item = ["<li>", "  <img />", `  <b>${block.search[0]?.trim().slice(0, 8) ?? ""}</b>`, "  <i />", "</li>"];
  const first = Array.from({ length: rows }, () => item).flat();
  const cases: Case[] = [];
  const earlier: string[] = [];
  let lines: readonly string[] = first;
  const order = Array.from({ length: rows }, (_, n) => ({ n, by: chance() })).toSorted((a, b) => a.by - b.by);
  const isDone: boolean[] = [];
  const inOrder = chance() < 0.5;
  for (const [turn, { n: random }] of order.entries()) {
    const n = inOrder ? turn : random;
    const start = n * item.length + 1;
    const now = start + isDone.slice(0, n).filter(Boolean).length;
    const next = put(lines, now, 0, ["  <p />"]);
    const edit = { path: "list.html", search: "  <img />", replace: "  <p />\n  <img />", ...numbers(start, 1) };
    cases.push({ group: "alike", text: join(lines), edit, earlier: [...earlier], expected: join(next) });
    earlier.unshift(join(lines));
    isDone[n] = true;
    lines = next;
  }
  return cases;
};
