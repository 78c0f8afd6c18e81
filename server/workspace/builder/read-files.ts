import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { findProtection } from "../protected.ts";
import { toGlob } from "../glob.ts";
import { searchTexts, type Match, type SearchText } from "../search-texts.ts";
import { getProjectId, openPath, withSnapshot, type BuilderCall } from "./file-snapshot.ts";
import { viewLines } from "./view-lines.ts";

export const viewFile = (call: BuilderCall, given: { readonly path: string; readonly lines?: string | undefined }) =>
  withSnapshot(call, async (desk) => {
    const path = openPath(given.path);
    const file = desk.get(path);
    if (file.lines === null) return { path, bytes: file.bytes, note: "This file is not text." };
    const { total, shown, text, note } = viewLines(await desk.readText(file), given.lines);
    return { path, lines: total, shown, text, ...(note === null ? {} : { note }) };
  });

type FileSearch = {
  readonly pattern: string;
  readonly include?: string | undefined;
  readonly exclude?: string | undefined;
  readonly caseSensitive: boolean;
};

/** Searches all text files that are not protected. */
export const searchFiles = (call: BuilderCall, { include, exclude, ...query }: FileSearch) =>
  withSnapshot(call, async ({ files }) => {
    const isIn = include === undefined ? () => true : toGlob(include);
    const isOut = exclude === undefined ? () => false : toGlob(exclude);
    const chosen = files.filter(
      ({ path, lines }) => lines !== null && findProtection(path) === undefined && isIn(path) && !isOut(path),
    );
    const texts = readTexts(call.read, getProjectId(call), chosen);
    const { total, files: count, shown } = await searchTexts(texts, { ...query, signal: call.signal });
    const notes = [
      ...(chosen.length === 0 ? ["no file matches the patterns"] : []),
      ...(shown.length < total ? [`${total - shown.length} more are not shown; narrow the search`] : []),
    ];
    return {
      total,
      files: count,
      searched: chosen.length,
      matches: toText(shown),
      ...(notes.length ? { note: notes.join("; ") } : {}),
    };
  });

const AT_ONCE = 40;

async function* readTexts(
  read: Pick<Reads, "blobs">,
  projectId: string,
  files: readonly RowOf<"files">[],
): AsyncGenerator<SearchText> {
  for (let start = 0; start < files.length; start += AT_ONCE) {
    const some = files.slice(start, start + AT_ONCE);
    const rows = await read.blobs(
      projectId,
      some.map(({ hash }) => hash),
    );
    const byHash = new Map(rows.map((row) => [row.hash, row]));
    for (const { path, hash } of some) {
      const blob = byHash.get(hash);
      if (blob?.encoding === "text") yield { path, text: blob.body };
    }
  }
}

/** Grep-like output: the path, then matching lines with context. */
function toText(matches: readonly Match[]): string {
  const byPath = Map.groupBy(matches, ({ path }) => path);
  return [...byPath]
    .map(([path, found]) => `${path}\n${found.map(({ around }) => around.join("\n")).join("\n--\n")}`)
    .join("\n\n");
}
