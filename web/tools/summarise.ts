import { describeElapsed, spanOf } from "../lib/format.ts";
import { cardKindOf, type CardKind } from "../labels/card-kind.ts";
import { toTitle, unwrapCall, type ToolPart } from "../labels/tools.ts";
import { asRecord, listAt, textAt } from "../lib/read-json.ts";

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
    pages > 0 ? `read ${count(pages, "page")}` : "",
    searches > 0 ? count(searches, "search", "searches") : "",
    changed > 0 ? `changed ${count(changed, "file")}` : "",
    viewed > 0 ? `looked at ${count(viewed, "file")}` : "",
    describeOthers(others),
    failed > 0 ? `${failed} failed` : "",
    denied > 0 ? `${denied} denied` : "",
  ].filter((word) => word !== "");
  const text = words.join(", ") || count(all.length, "call");
  const elapsedMs = spanOf(calls);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${elapsedMs === null ? "" : ` · ${describeElapsed(elapsedMs)}`}`;
}

const counted: ReadonlySet<CardKind> = new Set(["search", "pages", "plan", "fileChange", "fileView"]);

const countFiles = (calls: readonly ToolPart[]): number =>
  new Set(calls.map(({ id, input }) => textAt(input, "file_path", "original_file_path", "path") || id)).size;

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;

function describeOthers(calls: readonly ToolPart[]): string {
  const names = new Set(calls.map(({ name }) => name));
  const [name] = names;
  if (name === undefined) return "";
  if (names.size > 1) return count(calls.length, "other call");
  return calls.length === 1 ? toTitle(name).toLowerCase() : `${toTitle(name).toLowerCase()} ${calls.length} times`;
}

/** A call reads one URL or several. */
export function countPages({ input, output }: ToolPart): number {
  const given = listAt(input, "urls", "pages").length;
  return given || listAt(output, "pages", "results").length || (Object.keys(asRecord(input)).length > 0 ? 1 : 0);
}
