import { findKind, priorities } from "../../../protocol/project/kinds.ts";
import type { OutlineRow } from "../../store/contract.ts";
import type { Focus, ProjectSnapshot } from "./snapshot.ts";
import type { CountLine } from "./outline.ts";
import { quoteJson, escapePromptTags } from "../../lib/prompt-tags.ts";
import { quoteTitle, renderRow, toWhen } from "./write.ts";

/** In tokens: `lines` for the entity and its links, `text` for its text. */
export type FocusBudget = { readonly lines: number; readonly text: number };

const UNDATED = { starts: null, ends: null };

/** The focused entity: its text as far as the budget goes, and its links. `textTokens` is the part spent on the text. */
export function renderFocus(
  { entity, links, total }: Focus,
  { rows, times }: ProjectSnapshot,
  budget: FocusBudget,
  count: CountLine,
): { readonly lines: readonly string[]; readonly textTokens: number } {
  const kind = findKind(entity.kind) ?? UNDATED;
  const parent = entity.parent === null ? undefined : rows.get(entity.parent);
  const head = [
    `This thread is about this ${entity.kind}, version ${entity.version}, updated ${toWhen(entity.updated_at)}:`,
    renderRow(entity, kind, times.now),
    ...(parent ? [`below ${parent.id} ${quoteTitle(parent.title)}`] : []),
  ];
  const body = cutBody(entity.body, budget.text, count);
  const listed = fitLines(
    links.map(({ edge, other }) => renderLink(edge.relation, edge.source === entity.id, other)),
    budget.lines - head.reduce((sum, line) => sum + count(line) + 2, 0),
    count,
  );
  const text = body.lines.map((line) => `| ${escapePromptTags(line)}`);
  const lines = [
    ...head,
    ...(text.length === 0 ? [] : ["its text, each line after a bar:", ...text]),
    ...(body.left > 0 ? [`${body.left} more characters of it, get them with get_entity(ids=["${entity.id}"])`] : []),
    ...(total === 0 ? [] : [`links: ${total}`, ...listed]),
    ...(total > listed.length && total > 0
      ? [`${total - listed.length} more links, get them with get_entity(ids=["${entity.id}"])`]
      : []),
  ];
  return { lines, textTokens: text.reduce((sum, line) => sum + count(line) + 1, 0) };
}

const renderLink = (relation: string, isOutward: boolean, other: OutlineRow): string =>
  `- ${isOutward ? `${relation} ->` : `<- ${relation}`} ${other.kind}${renderRow(other, findKind(other.kind) ?? UNDATED, 0).slice(1)}`;

function fitLines(lines: readonly string[], budget: number, count: CountLine): readonly string[] {
  let left = budget;
  return lines.filter((line) => (left -= count(line) + 1) >= 0);
}

/** Whole lines from the beginning, then as much of the next line as fits. */
function cutBody(body: string, budget: number, count: CountLine) {
  const lines = body.split(/\r\n|[\n\r\u0085\u2028\u2029]/);
  const kept: string[] = [];
  let left = budget;
  let next = 0;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    // A token is rarely more than a few characters, so a line that cannot fit is not counted.
    const cost = line.length > left * MOST_CHARACTERS ? Infinity : count(line) + LINE_TOKENS;
    if (cost > left) break;
    left -= cost;
    kept.push(line);
  }
  const used = kept.reduce((sum, line) => sum + line.length + 1, 0);
  const part = cutLine(lines[next] ?? "", left - LINE_TOKENS, count);
  if (part !== "") kept.push(part);
  while (kept.at(-1) === "") kept.pop();
  return { lines: kept, left: Math.max(0, body.length - used - part.length) };
}

const MOST_CHARACTERS = 12;
/** The bar before a line and its line break. */
const LINE_TOKENS = 2;
/** Part of a line is only included if at least this many tokens are left. */
const LEAST_PART = 20;

function cutLine(line: string, tokens: number, count: CountLine): string {
  if (line === "" || tokens < LEAST_PART) return "";
  let part = line.slice(0, tokens * 4);
  for (let used = count(part); used > tokens; used = count(part))
    part = part.slice(0, Math.floor((part.length * tokens * 0.98) / used));
  return part.toWellFormed();
}

export function toFocusJson({ entity, links, total }: Focus, budget: FocusBudget, count: CountLine) {
  const body = cutBody(entity.body, budget.text, count);
  const all = links.map(({ edge, other }) => ({
    relation: edge.relation,
    from: edge.source,
    to: edge.target,
    other: { kind: other.kind, title: other.title, state: other.state },
  }));
  let left = budget.lines;
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
