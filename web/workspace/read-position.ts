import type { PreviewLine } from "./preview-frame.tsx";
import { workspace as strings } from "../strings/workspace/workspace.ts";

/** Splits `src/App.tsx:12:5` into path and line. */
export function readPosition(place: string | null): { readonly path: string; readonly line: number } | null {
  const match = /^(.+?):(\d+)(?::\d+)?$/.exec(place ?? "");
  return match?.[1] ? { path: match[1], line: Number(match[2]) } : null;
}

/** The beginning of a question about a log line, for the composer. */
export function toQuestion({
  kind,
  level,
  text,
  place,
}: Pick<PreviewLine, "kind" | "level" | "text" | "place">): string {
  const { aboutRequest, aboutError, aboutWarning, aboutMessage, at } = strings.logs;
  const isRequest = kind === "network";
  const opening = isRequest
    ? aboutRequest
    : level === "error"
      ? aboutError
      : level === "warn"
        ? aboutWarning
        : aboutMessage;
  const quote = [
    ...text.trimEnd().split("\n").slice(0, mostLines),
    ...(place && !text.includes(place) ? [at(place)] : []),
  ];
  return `${opening}\n\n${quote.map((line) => `> ${line}`).join("\n")}\n\n`;
}

const mostLines = 12;

export type LogLevel = "all" | "error" | "warn";

type Filter = { readonly kind: "console" | "network"; readonly level: LogLevel; readonly words: string };

export const fitsFilter = (line: PreviewLine, { kind, level, words }: Filter): boolean =>
  line.kind === kind &&
  (level === "all" || line.level === level) &&
  (words.trim() === "" || `${line.text} ${line.place ?? ""}`.toLowerCase().includes(words.trim().toLowerCase()));
