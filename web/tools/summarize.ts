import { describeElapsed, joinList } from "../lib/format.ts";
import { cardKindOf, type CardKind } from "../labels/card-kind.ts";
import { toTitle, unwrapCall, type ToolPart } from "../labels/tools.ts";
import { asRecord, listAt, textAt } from "../lib/read-json.ts";
import { toolCards as strings } from "../strings/tool-cards.ts";

/** Many calls in one line: "Read 4 pages, 3 searches · 12 s". */
export function summarizeCalls(calls: readonly ToolPart[]): string {
  const all = calls.map(unwrapCall);
  const ofKind = (kind: CardKind) => all.filter(({ name }) => cardKindOf(name) === kind);
  const done = all.filter(({ state }) => state !== "error" && state !== "denied");
  const doneOf = (kind: CardKind) => done.filter(({ name }) => cardKindOf(name) === kind);
  const searches = ofKind("search").length;
  const pages = doneOf("pages").reduce((sum, call) => sum + countPages(call) - countUnread(call), 0);
  const unread = doneOf("pages").reduce((sum, call) => sum + countUnread(call), 0);
  const changed = countFiles(doneOf("fileChange"));
  const viewed = countFiles(doneOf("fileView"));
  const others = all.filter(({ name }) => !counted.has(cardKindOf(name)));
  const failed = all.filter(({ state }) => state === "error").length;
  const denied = all.filter(({ state }) => state === "denied").length;
  const words = [
    pages > 0 ? strings.summary.pages(pages) : "",
    searches > 0 ? strings.summary.searches(searches) : "",
    changed > 0 ? strings.summary.changed(changed) : "",
    viewed > 0 ? strings.summary.viewed(viewed) : "",
    describeOthers(others),
    unread > 0 ? strings.pages.unreadable(unread) : "",
    failed > 0 ? strings.summary.failed(failed) : "",
    denied > 0 ? strings.summary.denied(denied) : "",
  ].filter((word) => word !== "");
  const text = joinList(words) || strings.summary.calls(all.length);
  const elapsedMs = busyMs(calls);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${elapsedMs === null || elapsedMs < LEAST_MS ? "" : ` · ${describeElapsed(elapsedMs)}`}`;
}

const counted: ReadonlySet<CardKind> = new Set(["search", "pages", "plan", "fileChange", "fileView"]);

/** A shorter time would be shown as 0.0 s. */
export const LEAST_MS = 50;

const countFiles = (calls: readonly ToolPart[]): number =>
  new Set(calls.map(({ id, input }) => textAt(input, "file_path", "original_file_path", "path") || id)).size;

const mostNamed = 2;

/** Lookups of tools are not named next to calls that did something. */
function describeOthers(all: readonly ToolPart[]): string {
  const acting = all.filter(({ name }) => cardKindOf(name) !== "lookup");
  const calls = acting.length > 0 ? acting : all;
  const byName = Map.groupBy(calls, ({ name }) => name);
  if (byName.size > mostNamed) return strings.summary.others(calls.length);
  return joinList(
    [...byName].map(([name, { length }]) => {
      const tool = toTitle(name).toLowerCase();
      return length === 1 ? tool : strings.summary.times(tool, length);
    }),
  );
}

/** Pages of a call that could not be read, although the call as a whole succeeded. */
const countUnread = ({ output }: ToolPart): number =>
  listAt(output, "pages", "results").filter((page) => {
    const { error } = asRecord(page);
    return error !== undefined && error !== null && error !== "";
  }).length;

/** Time during which at least one call ran. Pauses, such as waiting for an approval, do not count. */
function busyMs(calls: readonly ToolPart[]): number | null {
  const spans = calls.flatMap(({ startedAt, endedAt }) =>
    startedAt === undefined || endedAt === undefined ? [] : [[startedAt, endedAt] as const],
  );
  if (spans.length === 0) return null;
  let [total, until] = [0, -Infinity];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    total += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return total;
}

/** A call reads one URL or several. */
export function countPages({ input, output }: ToolPart): number {
  const given = listAt(input, "urls", "pages").length;
  return given || listAt(output, "pages", "results").length || (Object.keys(asRecord(input)).length > 0 ? 1 : 0);
}
