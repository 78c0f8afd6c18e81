import { cardKindOf } from "../labels/card-kind.ts";
import type { ToolPart } from "../labels/tools.ts";
import { asRecord, listAt, numberAt, textAt } from "../lib/read-json.ts";
import { workspace as strings } from "../strings/workspace/workspace.ts";

/** The effect of a builder call on files, as far as its result says. */
export type FileCall = {
  /** The file's current path; "" for none or several. */
  readonly path: string;
  readonly added: number | undefined;
  readonly removed: number | undefined;
  /** The act that can be shown and undone. */
  readonly actId: string;
  /** A unified diff, in case the act cannot be loaded. */
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
    added: numberAt(output, "added") ?? counted?.added,
    removed: numberAt(output, "removed") ?? counted?.removed,
    actId: textAt(output, "actId"),
    diff,
    note: textAt(output, "note", "preview"),
  };
}

export function countUnified(diff: string): { readonly added: number; readonly removed: number } {
  const lines = diff.split("\n").filter((line) => !/^(\+\+\+|---) /.test(line));
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}

export type LogLine = { readonly level: string; readonly text: string; readonly place: string };

export const readLogs = ({ output }: ToolPart): readonly LogLine[] =>
  listAt(output, "logs").map((line) => ({
    level: textAt(line, "level"),
    text: textAt(line, "text"),
    place: textAt(line, "place"),
  }));

/** A short summary of a read or search result. */
export function describeLook({ name, output }: ToolPart): string {
  const result = asRecord(output);
  if (cardKindOf(name) === "fileSearch") {
    const total = numberAt(output, "total");
    if (total === undefined) return "";
    return total === 0 ? strings.calls.noMatches : strings.calls.matches(total, numberAt(output, "files") ?? 0);
  }
  if (cardKindOf(name) === "fileView") {
    const lines = numberAt(output, "lines");
    const shown = textAt(output, "shown");
    if (lines === undefined) return "";
    return shown === "" ? strings.calls.lines(lines) : strings.calls.someLines(shown, lines);
  }
  if (!("logs" in result)) return "";
  const logs = listAt(output, "logs");
  const errors = logs.filter((line) => textAt(line, "level") === "error").length;
  return strings.calls.logs(logs.length, errors);
}
