import { expandMarkers, replaceLines } from "../server/workspace/workspace.ts";
import { createChance } from "./count/bootstrap.ts";
import { makeBlock, makeFiller, readBlocks, type Block } from "./edits/blocks.ts";
import { makeCases, type Case } from "./edits/cases.ts";
import { createReport } from "./report.ts";
import { pickOf, type Chance } from "./threads/planted.ts";

/**
 * `npm run eval:edits`: edits of lines by ours, by plain search-and-replace (the first place where the text stands) and by the
 * line numbers alone: how many are right, how many are refused, how many WRONG. Blocks that models wrote, and made-up ones, each
 * set into a file and asked for in twenty ways; `--deep` sets them into nine times as many files. Where nothing can be right, refusing is.
 */
const MADE_UP = 400;

type Outcome = "right" | "refused" | "wrong";
type Contestant = (one: Case) => string | null;

const contestants: Readonly<Record<string, Contestant>> = {
  ours: ({ text, edit, earlier, written }) => {
    if (written) {
      const expanded = expandMarkers(text.split("\n").slice(0, -1), written, edit.path);
      return expanded.ok ? `${expanded.lines.join("\n")}\n` : null;
    }
    const result = replaceLines(text, edit, earlier);
    return result.ok ? result.text : null;
  },
  plain: ({ text, edit, written }) => {
    if (written) return `${written.join("\n")}\n`;
    const at = text.indexOf(edit.search);
    return at < 0 ? null : text.slice(0, at) + edit.replace + text.slice(at + edit.search.length);
  },
  numbers: ({ text, edit: { first, last, replace }, written }) => {
    if (written) return `${written.join("\n")}\n`;
    if (first === undefined || last === undefined) return null;
    const lines = text.split("\n");
    return [...lines.slice(0, first - 1), ...(replace === "" ? [] : [replace]), ...lines.slice(last)].join("\n");
  },
};

const report = createReport({ "edits.wrong": { atMost: 0 }, "edits.right": { atLeast: 0.95 } });
const seeds = report.isDeep ? [20_261, 1, 2, 3, 4, 5, 6, 7, 8] : [20_261];
const path = report.find("edits/search-replace-gold.txt.gz");
const blocks = path === undefined ? [] : readBlocks(path).slice(0, report.limit);
const cases = seeds
  .map((seed) => createChance(seed))
  .flatMap((chance) => [
    ...blocks.flatMap((block) => makeCases(block, chance, () => pickLines(blocks, chance))),
    ...Array.from({ length: MADE_UP }, () => makeBlock(chance)).flatMap((block) =>
      makeCases(block, chance, () => makeFiller(chance)),
    ),
  ]);

for (const name of Object.keys(contestants)) addScores(name, cases);
report.print();
console.log(toGroups());

/** Context around a block: lines of other blocks. */
function pickLines(all: readonly Block[], by: Chance): readonly string[] {
  const [one, ...others] = all;
  if (!one) return [];
  return Array.from({ length: 1 + Math.floor(by() * 3) }, () => pickOf(by, [one, ...others]).search).flat();
}

function judge(contestant: Contestant, one: Case): Outcome {
  const result = contestant(one);
  if (result === null) return one.expected === null ? "right" : "refused";
  return result === one.expected ? "right" : "wrong";
}

function addScores(name: string, list: readonly Case[]): void {
  const contestant = contestants[name];
  if (!contestant) return;
  const solvable = list.filter(({ expected }) => expected !== null);
  const right = solvable.filter((one) => judge(contestant, one) === "right").length;
  const wrong = list.filter((one) => judge(contestant, one) === "wrong").length;
  const suffix = name === "ours" ? "" : `.${name}`;
  report.add({
    id: `edits.right${suffix}`,
    value: right / Math.max(solvable.length, 1),
    unit: "share",
    n: solvable.length,
  });
  report.add({ id: `edits.wrong${suffix}`, value: wrong, unit: "edits", n: list.length });
}

/** right / refused / wrong of each way of asking. */
function toGroups(): string {
  const rows = [...Map.groupBy(cases, ({ group }) => group)].map(([group, list]) => {
    const cells = Object.values(contestants).map((contestant) => {
      const outcomes = list.map((one) => judge(contestant, one));
      const count = (outcome: Outcome): number => outcomes.filter((one) => one === outcome).length;
      return `${count("right")} / ${count("refused")} / ${count("wrong")}`;
    });
    return [group, String(list.length), ...cells];
  });
  const all = [
    ["way of asking", "n", ...Object.keys(contestants).map((name) => `${name}: right / refused / WRONG`)],
    ...rows,
  ];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return `\n${all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")}`;
}
