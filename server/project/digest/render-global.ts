import { kinds } from "../../../protocol/project/kinds.ts";
import type { ContextMode } from "../../../protocol/project/project.ts";
import type { OutlineRow, ProjectRow } from "../../store/contract.ts";
import type { Choice } from "./choose.ts";
import type { Gathered } from "./gather.ts";
import { arrange, depthOf, fitChoices, listChoices, type CountLine } from "./outline.ts";
import type { DigestJson } from "./shape.ts";
import { FRAME, renderAct, toWho } from "./render-project.ts";
import { quoteJson, quoteValue } from "../../lib/prompt-tags.ts";
import { clip, quoteTitle, toDay, toJsonLine, toLine } from "./write.ts";

export type GlobalDigest = {
  readonly mode: ContextMode;
  /** Those touched last first. */
  readonly projects: readonly { readonly project: ProjectRow; readonly gathered: Gathered }[];
  readonly total: number;
  readonly seq: string;
  readonly exchange: string;
  readonly threadId: string;
  readonly budget: number;
  readonly count: CountLine;
};

const DESCRIPTION_CHARACTERS = 160;
const ACT_CHARACTERS = 80;
/** Of the tree of documents. */
const DEEPEST = 2;
/** A project that was touched later is worth a little more than the one after it. */
const LATER = 0.05;

/** All projects in brief: what they are after and how they are ordered, without tasks and events. */
export function renderGlobal(telling: GlobalDigest): { readonly text: string; readonly note: string } {
  const { mode, projects, total, seq, threadId, count } = telling;
  const opening = [
    `<project-digest mode="${mode}" seq="${seq}">`,
    `The person's projects: ${total}, the ones touched last first. ${FRAME}`,
    "Tasks and events are not told here, get them with list_entities(kinds, project_id).",
    ...(mode === "ontology" ? [tellKinds()] : []),
  ];
  const rest = total - projects.length;
  const closing = [
    ...(rest > 0 ? [`${rest} more projects, get them with list_entities(kinds=["project"])`] : []),
    "</project-digest>",
  ];
  const heads = projects.map(({ project, gathered }) => tellHead(project, gathered));
  const acts = projects.map(({ gathered }) =>
    gathered.acts.map((act) => renderAct({ ...act, text: clip(act.text, ACT_CHARACTERS) }, threadId)),
  );
  const costs = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + count(line) + 1, 0);
  let left = telling.budget - costs([...opening, ...closing, ...heads.flat()]);
  // What was done last goes before rows: it is short, and newest.
  const shownActs = acts.map((lines) => lines.slice(0, left > costs(lines) * projects.length * 2 ? lines.length : 1));
  left -= costs(shownActs.flat());
  const chosen = chooseRows(telling, left, ({ row, kind }) => count(`  ${kind.name} ${toLine(row, kind, 0)}`) + 1);
  const lines = projects.flatMap(({ gathered }, at) => [
    ...(heads[at] ?? []),
    ...kinds.flatMap((kind) => {
      const rows = chosen.filter((one) => one.at === at && one.choice.kind === kind).map(({ choice }) => choice.row);
      const all = gathered.counts.get(kind.name)?.total ?? 0;
      const told = arrange(kind, rows).map(
        ({ row, depth }) =>
          `${"  ".repeat(depth)}${toLine(row, kind, gathered.times.now).replace("- ", `- ${kind.name} `)}`,
      );
      return all > rows.length && rows.length > 0 ? [...told, `${all - rows.length} more ${kind.plural}`] : told;
    }),
    ...(shownActs[at] ?? []),
  ]);
  return {
    text: [...opening, ...lines, ...closing].join("\n"),
    note: `projects ${projects.length} of ${total}, ${chosen.length} lines of goals, milestones, plans and documents`,
  };
}

const tellKinds = (): string =>
  `kinds and their states: ${kinds.map(({ name, states }) => `${name} (${states.join(", ")})`).join("; ")}`;

function tellHead({ id, name, description, updated_at: at }: ProjectRow, { counts }: Gathered): readonly string[] {
  return [
    `project ${id} ${quoteTitle(name)}, touched ${toDay(at)}: ${tellCounts(counts)}`,
    ...(description === "" ? [] : [`description: ${quoteValue(clip(description, DESCRIPTION_CHARACTERS))}`]),
  ];
}

function tellCounts(counts: Gathered["counts"]): string {
  const told = kinds.flatMap(({ name, plural }) => {
    const { total = 0, open = 0, overdue = 0 } = counts.get(name) ?? {};
    if (total === 0) return [];
    return [
      `${total} ${plural}${open < total || overdue > 0 ? ` (${open} open${overdue > 0 ? `, ${overdue} overdue` : ""})` : ""}`,
    ];
  });
  return told.length === 0 ? "empty" : told.join(", ");
}

type Ranked = { readonly at: number; readonly choice: Choice };

function chooseRows(
  { projects, exchange }: GlobalDigest,
  budget: number,
  costOf: (choice: Choice) => number,
): readonly Ranked[] {
  const places = new Map<Choice, number>();
  const choices = projects.flatMap(({ gathered }, at) =>
    listChoices(gathered, exchange, { isWanted: (row) => isTold(row, gathered) }).map((choice) => {
      const ranked = { ...choice, must: false, score: choice.score - at * LATER };
      places.set(ranked, at);
      return ranked;
    }),
  );
  return fitChoices(choices, budget, costOf).map((choice) => ({ at: places.get(choice) ?? 0, choice }));
}

const aims: ReadonlySet<string> = new Set(["goal", "milestone", "plan"]);
const isTold = (row: OutlineRow, { rows }: Gathered): boolean =>
  aims.has(row.kind) || (row.kind === "document" && depthOf(row, rows) < DEEPEST);

export function toGlobalJson(telling: GlobalDigest): DigestJson {
  const { mode, projects, total, seq, budget, count, threadId } = telling;
  const heads = projects.map(({ project: { id, name, description, updated_at: at }, gathered }) => ({
    id,
    name,
    ...(description === "" ? {} : { description: clip(description, DESCRIPTION_CHARACTERS) }),
    touched: toDay(at),
    counts: Object.fromEntries(
      [...gathered.counts].map(([kind, { total: all, open }]) => [kind, { total: all, open }]),
    ),
    done_last: gathered.acts.slice(0, 1).map((act) => ({
      at: toDay(act.created_at),
      by: toWho(act, threadId),
      what: clip(act.text, ACT_CHARACTERS),
    })),
  }));
  const chosen = chooseRows(
    telling,
    budget - count(quoteJson(heads)) - 60,
    ({ row, kind }) => count(quoteJson(toJsonLine(row, kind))) + 1,
  );
  return {
    context: { mode, seq, projects: projects.map(({ project: { id, name } }) => ({ id, name })) },
    content: {
      ...(mode === "ontology" ? { kinds: Object.fromEntries(kinds.map(({ name, states }) => [name, states])) } : {}),
      projects: heads.map((head, at) => ({
        ...head,
        ...Object.fromEntries(
          kinds.flatMap((kind) => {
            const rows = chosen
              .filter((one) => one.at === at && one.choice.kind === kind)
              .map(({ choice }) => choice.row);
            if (rows.length === 0) return [];
            return [[kind.plural, arrange(kind, rows).map(({ row }) => toJsonLine(row, kind))] as const];
          }),
        ),
      })),
      ...(total > projects.length
        ? { more: `${total - projects.length} projects: list_entities(kinds=["project"])` }
        : {}),
    },
    instructions: "",
  };
}
