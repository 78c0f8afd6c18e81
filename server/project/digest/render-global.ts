import { aimKinds, kinds } from "../../../protocol/project/kinds.ts";
import type { ContextMode } from "../../../protocol/project/project.ts";
import type { OutlineRow, ProjectRow } from "../../store/contract.ts";
import type { Choice } from "./choose.ts";
import type { ProjectSnapshot } from "./snapshot.ts";
import { arrange, depthOf, fitChoices, listChoices, type CountLine } from "./outline.ts";
import type { DigestJson } from "./shape.ts";
import { FRAME, renderAct, toAuthor } from "./render-project.ts";
import { quoteJson, quoteValue } from "../../lib/prompt-tags.ts";
import { clipLine, quoteTitle, toIsoDay, toJsonLine, renderRow } from "./write.ts";

type GlobalDigest = {
  readonly mode: ContextMode;
  /** Most recently changed first. */
  readonly projects: readonly { readonly project: ProjectRow; readonly snapshot: ProjectSnapshot }[];
  readonly total: number;
  readonly seq: string;
  readonly exchange: string;
  readonly threadId: string;
  readonly budget: number;
  /** Levels of the document tree. */
  readonly documentDepth: number;
  readonly count: CountLine;
};

const DESCRIPTION_CHARACTERS = 160;
const ACT_CHARACTERS = 80;
/** Score penalty per place in the list of projects. */
const LATER = 0.05;

/** All projects with their goals, milestones, plans and documents, without tasks and events. */
export function renderGlobal(input: GlobalDigest): { readonly text: string; readonly note: string } {
  const { mode, projects, total, seq, threadId, count } = input;
  const opening = [
    `<project-digest mode="${mode}" seq="${seq}">`,
    `The user's projects: ${total}, most recently changed first. ${FRAME}`,
    "Tasks and events are not listed here, get them with list_entities(kinds, project_id).",
    ...(mode === "ontology" ? [renderKinds()] : []),
  ];
  const rest = total - projects.length;
  const closing = [
    ...(rest > 0 ? [`${rest} more projects, get them with list_entities(kinds=["project"])`] : []),
    "</project-digest>",
  ];
  const heads = projects.map(({ project, snapshot }) => renderHead(project, snapshot));
  const acts = projects.map(({ snapshot }) =>
    snapshot.acts.map((act) => renderAct({ ...act, text: clipLine(act.text, ACT_CHARACTERS) }, threadId)),
  );
  const costs = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + count(line) + 1, 0);
  let left = input.budget - costs([...opening, ...closing, ...heads.flat()]);
  // Recent acts take precedence over rows: they are short and new.
  const shownActs = acts.map((lines) => lines.slice(0, left > costs(lines) * projects.length * 2 ? lines.length : 1));
  left -= costs(shownActs.flat());
  const chosen = chooseRows(input, left, ({ row, kind }) => count(`  ${kind.name} ${renderRow(row, kind, 0)}`) + 1);
  const lines = projects.flatMap(({ snapshot }, at) => [
    ...(heads[at] ?? []),
    ...kinds.flatMap((kind) => {
      const rows = chosen.filter((one) => one.at === at && one.choice.kind === kind).map(({ choice }) => choice.row);
      const all = snapshot.counts.get(kind.name)?.total ?? 0;
      const listed = arrange(kind, rows).map(
        ({ row, depth }) =>
          `${"  ".repeat(depth)}${renderRow(row, kind, snapshot.times.now).replace("- ", `- ${kind.name} `)}`,
      );
      return all > rows.length && rows.length > 0 ? [...listed, `${all - rows.length} more ${kind.plural}`] : listed;
    }),
    ...(shownActs[at] ?? []),
  ]);
  return {
    text: [...opening, ...lines, ...closing].join("\n"),
    note: `projects ${projects.length} of ${total}, ${chosen.length} lines of goals, milestones, plans and documents`,
  };
}

const renderKinds = (): string =>
  `kinds and their states: ${kinds.map(({ name, states }) => `${name} (${states.join(", ")})`).join("; ")}`;

function renderHead(
  { id, name, description, updated_at: at }: ProjectRow,
  { counts }: ProjectSnapshot,
): readonly string[] {
  return [
    `project ${id} ${quoteTitle(name)}, changed ${toIsoDay(at)}: ${renderCounts(counts)}`,
    ...(description === "" ? [] : [`description: ${quoteValue(clipLine(description, DESCRIPTION_CHARACTERS))}`]),
  ];
}

function renderCounts(counts: ProjectSnapshot["counts"]): string {
  const parts = kinds.flatMap(({ name, plural }) => {
    const { total = 0, open = 0, overdue = 0 } = counts.get(name) ?? {};
    if (total === 0) return [];
    return [
      `${total} ${plural}${open < total || overdue > 0 ? ` (${open} open${overdue > 0 ? `, ${overdue} overdue` : ""})` : ""}`,
    ];
  });
  return parts.length === 0 ? "empty" : parts.join(", ");
}

type RankedChoice = { readonly at: number; readonly choice: Choice };

function chooseRows(
  { projects, exchange, documentDepth }: GlobalDigest,
  budget: number,
  costOf: (choice: Choice) => number,
): readonly RankedChoice[] {
  const places = new Map<Choice, number>();
  const choices = projects.flatMap(({ snapshot }, at) =>
    listChoices(snapshot, exchange, { isWanted: (row) => isListed(row, snapshot, documentDepth) }).map((choice) => {
      const ranked = { ...choice, must: false, score: choice.score - at * LATER };
      places.set(ranked, at);
      return ranked;
    }),
  );
  return fitChoices(choices, budget, costOf).map((choice) => ({ at: places.get(choice) ?? 0, choice }));
}

const isListed = (row: OutlineRow, { rows }: ProjectSnapshot, deepest: number): boolean =>
  aimKinds.includes(row.kind) || (row.kind === "document" && depthOf(row, rows) < deepest);

export function toGlobalJson(input: GlobalDigest): DigestJson {
  const { mode, projects, total, seq, budget, count, threadId } = input;
  const heads = projects.map(({ project: { id, name, description, updated_at: at }, snapshot }) => ({
    id,
    name,
    ...(description === "" ? {} : { description: clipLine(description, DESCRIPTION_CHARACTERS) }),
    changed: toIsoDay(at),
    counts: Object.fromEntries(
      [...snapshot.counts].map(([kind, { total: all, open }]) => [kind, { total: all, open }]),
    ),
    done_last: snapshot.acts.slice(0, 1).map((act) => ({
      at: toIsoDay(act.created_at),
      by: toAuthor(act, threadId),
      what: clipLine(act.text, ACT_CHARACTERS),
    })),
  }));
  const chosen = chooseRows(
    input,
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
