import { describeElapsed, spanOf } from "../lib/format.ts";
import { cardKindOf, type CardKind } from "../labels/card-kind.ts";
import { toTitle, unwrapCall, type ToolPart } from "../labels/tools.ts";
import { asRecord, listAt, textAt } from "../lib/read-json.ts";
import { toolCards as strings } from "../strings/tool-cards.ts";

/** Many calls in one line: "Read 4 pages, 3 searches · 12 s". */
export function summariseCalls(calls: readonly ToolPart[]): string {
  const all = calls.map(unwrapCall);
  const ofKind = (kind: CardKind) => all.filter(({ name }) => cardKindOf(name) === kind);
  const searches = ofKind("search").length;
  const pages = ofKind("pages").reduce((sum, call) => sum + countPages(call), 0);
  const changed = countFiles(ofKind("fileChange"));
  const viewed = countFiles(ofKind("fileView"));
  const others = all.filter(({ name }) => !counted.has(cardKindOf(name)));
  const failed = all.filter(({ state }) => state === "error").length;
  const denied = all.filter(({ state }) => state === "denied").length;
  const words = [
    pages > 0 ? strings.summary.pages(pages) : "",
    searches > 0 ? strings.summary.searches(searches) : "",
    changed > 0 ? strings.summary.changed(changed) : "",
    viewed > 0 ? strings.summary.viewed(viewed) : "",
    describeOthers(others),
    failed > 0 ? strings.summary.failed(failed) : "",
    denied > 0 ? strings.summary.denied(denied) : "",
  ].filter((word) => word !== "");
  const text = words.join(", ") || strings.summary.calls(all.length);
  const elapsedMs = spanOf(calls);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${elapsedMs === null ? "" : ` · ${describeElapsed(elapsedMs)}`}`;
}

const counted: ReadonlySet<CardKind> = new Set(["search", "pages", "plan", "fileChange", "fileView"]);

const countFiles = (calls: readonly ToolPart[]): number =>
  new Set(calls.map(({ id, input }) => textAt(input, "file_path", "original_file_path", "path") || id)).size;

function describeOthers(calls: readonly ToolPart[]): string {
  const names = new Set(calls.map(({ name }) => name));
  const [name] = names;
  if (name === undefined) return "";
  if (names.size > 1) return strings.summary.others(calls.length);
  const tool = toTitle(name).toLowerCase();
  return calls.length === 1 ? tool : strings.summary.times(tool, calls.length);
}

/** A call reads one URL or several. */
export function countPages({ input, output }: ToolPart): number {
  const given = listAt(input, "urls", "pages").length;
  return given || listAt(output, "pages", "results").length || (Object.keys(asRecord(input)).length > 0 ? 1 : 0);
}
