import { findKind, priorities } from "../../../../protocol/project/kinds.ts";
import type { OutlineRow } from "../../../store/contract.ts";
import type { Focus, Gathered } from "../gather.ts";
import type { CountLine } from "../outline.ts";
import { quoteJson, quoteMarks } from "../../../lib/marks.ts";
import { quoteTitle, toLine, toWhen } from "./write.ts";

/** Of what the focus may take, for its text; the rest is for what it is linked with. */
const BODY_SHARE = 0.6;
const UNDATED = { starts: null, ends: null };

/** The one thing that the talk is about: whole, as far as there is room, and what it has to do with. */
export function tellFocus(
  focus: Focus,
  { rows, times }: Gathered,
  budget: number,
  count: CountLine,
): readonly string[] {
  const { entity, links, total } = focus;
  const kind = findKind(entity.kind) ?? UNDATED;
  const parent = entity.parent === null ? undefined : rows.get(entity.parent);
  const head = [
    `The talk is about this ${entity.kind}, version ${entity.version}, updated ${toWhen(entity.updated_at)}:`,
    toLine(entity, kind, times.now),
    ...(parent ? [`below ${parent.id} ${quoteTitle(parent.title)}`] : []),
  ];
  const body = cutBody(entity.body, Math.floor(budget * BODY_SHARE), count);
  const used = [...head, ...body.lines].reduce((sum, line) => sum + count(line) + 2, 0);
  const told = fitLines(
    links.map(({ edge, other }) => tellLink(edge.relation, edge.source === entity.id, other)),
    budget - used,
    count,
  );
  return [
    ...head,
    ...(body.lines.length === 0
      ? []
      : ["its text, each line after a bar:", ...body.lines.map((line) => `| ${quoteMarks(line)}`)]),
    ...(body.left > 0 ? [`${body.left} more characters of it, get them with get_entity(ids=["${entity.id}"])`] : []),
    ...(total === 0 ? [] : [`linked with it: ${total}`, ...told]),
    ...(total > told.length && total > 0
      ? [`${total - told.length} more links, get them with get_entity(ids=["${entity.id}"])`]
      : []),
  ];
}

const tellLink = (relation: string, isOutward: boolean, other: OutlineRow): string =>
  `- ${isOutward ? `${relation} ->` : `<- ${relation}`} ${other.kind}${toLine(other, findKind(other.kind) ?? UNDATED, 0).slice(1)}`;

function fitLines(lines: readonly string[], budget: number, count: CountLine): readonly string[] {
  let left = budget;
  return lines.filter((line) => (left -= count(line) + 1) >= 0);
}

/** Whole lines from the beginning. A first line that is longer than all the room is told by its beginning. */
function cutBody(body: string, budget: number, count: CountLine) {
  const lines = body.split(/\r\n|[\n\r\u0085\u2028\u2029]/);
  const kept: string[] = [];
  let left = budget;
  for (const line of lines) {
    // A token is rarely more than a few characters: what cannot fit need not be counted.
    const cost = line.length > budget * MOST_CHARACTERS ? Infinity : count(line) + 2;
    if (cost > left) break;
    left -= cost;
    kept.push(line);
  }
  if (kept.length === 0 && lines[0]) kept.push(lines[0].slice(0, budget * 2).toWellFormed());
  const told = kept.reduce((sum, line) => sum + line.length + 1, 0);
  while (kept.at(-1) === "") kept.pop();
  return { lines: kept, left: Math.max(0, body.length - told) };
}

const MOST_CHARACTERS = 12;

export function toFocusJson({ entity, links, total }: Focus, budget: number, count: CountLine) {
  const body = cutBody(entity.body, Math.floor(budget * BODY_SHARE), count);
  const all = links.map(({ edge, other }) => ({
    relation: edge.relation,
    from: edge.source,
    to: edge.target,
    other: { kind: other.kind, title: other.title, state: other.state },
  }));
  let left = budget - Math.floor(budget * BODY_SHARE);
  const told = all.filter((link) => (left -= count(quoteJson(link)) + 1) >= 0);
  return {
    id: entity.id,
    kind: entity.kind,
    title: entity.title,
    state: entity.state,
    priority: priorities[entity.priority] ?? "none",
    starts: entity.starts_at === null ? null : toWhen(entity.starts_at),
    ends: entity.ends_at === null ? null : toWhen(entity.ends_at),
    parent: entity.parent,
    version: entity.version,
    body: body.lines.join("\n"),
    ...(body.left > 0 ? { body_left_out: body.left } : {}),
    links: { total, told },
  };
}
