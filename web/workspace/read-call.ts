import { cardKindOf } from "../labels/card-kind.ts";
import type { ToolPart } from "../labels/tools.ts";
import { asRecord, listAt, numberAt, textAt } from "../lib/read-json.ts";

/** What a call of the builder did to files, as far as its result says. */
export type FileCall = {
  /** Of the file that it was about, as it is called now; "": of none, or of several. */
  readonly path: string;
  readonly come: number | undefined;
  readonly gone: number | undefined;
  /** The act that can be looked at and taken back. */
  readonly actId: string;
  /** A unified diff, in case the act cannot be asked for. */
  readonly diff: string;
  readonly note: string;
};

export function readFileCall({ input, output }: ToolPart): FileCall {
  const path = textAt(output, "path") || textAt(input, "new_file_path", "file_path", "path");
  const changed = textAt(output, "package") === "" ? path : "package.json";
  const diff = textAt(output, "diff");
  const counted = diff === "" ? null : countUnified(diff);
  return {
    path: changed,
    come: numberAt(output, "added") ?? counted?.come,
    gone: numberAt(output, "removed") ?? counted?.gone,
    actId: textAt(output, "actId"),
    diff,
    note: textAt(output, "note", "preview"),
  };
}

export function countUnified(diff: string): { readonly come: number; readonly gone: number } {
  const lines = diff.split("\n").filter((line) => !/^(\+\+\+|---) /.test(line));
  return {
    come: lines.filter((line) => line.startsWith("+")).length,
    gone: lines.filter((line) => line.startsWith("-")).length,
  };
}

export type LogLine = { readonly level: string; readonly text: string; readonly place: string };

export const readLogs = ({ output }: ToolPart): readonly LogLine[] =>
  listAt(output, "logs").map((line) => ({
    level: textAt(line, "level"),
    text: textAt(line, "text"),
    place: textAt(line, "place"),
  }));

/** The result in a few words: what was found, how far it was read. */
export function describeLook({ name, output }: ToolPart): string {
  const found = asRecord(output);
  if (cardKindOf(name) === "fileSearch") {
    const total = numberAt(output, "total");
    const files = numberAt(output, "files");
    if (total === undefined) return "";
    return total === 0
      ? "nothing found"
      : `${total} ${total === 1 ? "line" : "lines"} in ${files === 1 ? "1 file" : `${files} files`}`;
  }
  if (cardKindOf(name) === "fileView") {
    const lines = numberAt(output, "lines");
    const shown = textAt(output, "shown");
    return lines === undefined ? "" : shown === "" ? `${lines} lines` : `lines ${shown} of ${lines}`;
  }
  if (!("logs" in found)) return "";
  const logs = listAt(output, "logs");
  const errors = logs.filter((line) => textAt(line, "level") === "error").length;
  return `${logs.length === 1 ? "1 line" : `${logs.length} lines`}${errors === 0 ? "" : errors === 1 ? ", 1 error" : `, ${errors} errors`}`;
}
