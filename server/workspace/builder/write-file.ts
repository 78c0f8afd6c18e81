import { expandMarkers } from "../edit/expand-markers.ts";
import { countLines, endOf, splitLines, toTexts } from "../lines.ts";
import { isMarker } from "../edit/markers.ts";
import { replaceLines, type LineEdit } from "../edit/replace-lines.ts";
import { toDifference } from "../unified.ts";
import { openPath, planCall, refusePlaceholders, type BuilderCall } from "./file-snapshot.ts";

/** Output of a write: the diff, so that the model need not view the file again. */
export type WriteOutput = {
  readonly path: string;
  readonly did: "created" | "wrote" | "edited" | "nothing";
  /** Lines of the file after the write. */
  readonly lines: number;
  readonly added: number;
  readonly removed: number;
  readonly diff?: string;
  /** The replaced lines, numbered as before the edit. */
  readonly replaced?: string;
  readonly note?: string;
};

/** Writes a whole file. Markers for unchanged code are replaced by that code, or rejected. */
export const planWrite = (call: BuilderCall, given: { readonly path: string; readonly content: string }) =>
  planCall(call, { write: given }, async (desk) => {
    const path = openPath(given.path);
    const file = desk.find(path);
    const before = file ? await desk.readText(file) : undefined;
    const { text, expanded } = expand(path, before, given.content);
    refusePlaceholders(path, before ?? "", text);
    const did = before === text ? "nothing" : file ? "wrote" : "created";
    const output = toWritten({ path, did, before: before ?? "", after: text });
    const note = did === "nothing" ? NOTHING : expanded > 0 ? toExpanded(expanded) : undefined;
    return {
      ops: [{ do: "write", path, was: file?.hash ?? null, text }],
      text: `${file ? "Wrote" : "Created"} ${path} (+${output.added} -${output.removed})`,
      output: { ...output, ...(note === undefined ? {} : { note }) },
    };
  });

/** Replaces lines of a file. */
export const planLineEdit = (call: BuilderCall, given: LineEdit) =>
  planCall(call, { edit: given }, async (desk) => {
    const path = openPath(given.path);
    const file = desk.get(path);
    const before = await desk.readText(file);
    const edited = replaceLines(before, { ...given, path }, await desk.readEarlier(path));
    if (!edited.ok) throw new Error(`${path}: ${edited.reason}`);
    refusePlaceholders(path, before, edited.text);
    const { first, last, note } = edited;
    const replaced = first >= last ? `${first}` : `${first}-${last}`;
    const output = toWritten({ path, did: "edited", before, after: edited.text });
    return {
      ops: [{ do: "write", path, was: file.hash, text: edited.text }],
      text: `Edited ${path}, ${first >= last ? "line" : "lines"} ${replaced} (+${output.added} -${output.removed})`,
      output: { ...output, replaced, ...(note === null ? {} : { note }) },
    };
  });

const NOTHING = "The file already has this content. Nothing was written.";
const toExpanded = (count: number): string =>
  count === 1 ? "a marker was replaced by the existing code" : `${count} markers were replaced by the existing code`;

type Change = Pick<WriteOutput, "path" | "did"> & { readonly before: string; readonly after: string };

function toWritten({ path, did, before, after }: Change): WriteOutput {
  const { text, added, removed } = toDifference(before, after);
  // The model just wrote the whole new file, so no diff is needed.
  return {
    path,
    did,
    lines: countLines(after),
    added,
    removed,
    ...(did === "created" || text === "" ? {} : { diff: text }),
  };
}

function expand(path: string, before: string | undefined, content: string): { text: string; expanded: number } {
  const written = toTexts(content);
  if (before === undefined) {
    const marker = written.find((line) => isMarker(line, path) && !(/^\W*$/.test(line) && /\.{3}|…/.test(line)));
    if (marker === undefined) return { text: content, expanded: 0 };
    throw new Error(`There is no file ${path} yet, so "${marker.trim()}" cannot be replaced. Write the whole file.`);
  }
  const old = splitLines(before);
  const result = expandMarkers(
    old.lines.map((line) => line.text),
    written,
    path,
  );
  if (!result.ok) throw new Error(`${path}: ${result.reason}`);
  const isPlain = result.expanded === 0 && !(endOf(old.lines) === "\r\n" && !content.includes("\r\n"));
  if (isPlain) return { text: content, expanded: 0 };
  const end = endOf(old.lines);
  const isEnded = content.endsWith("\n") || (before.endsWith("\n") && result.expanded > 0);
  return { text: result.lines.join(end) + (isEnded && result.lines.length > 0 ? end : ""), expanded: result.expanded };
}
