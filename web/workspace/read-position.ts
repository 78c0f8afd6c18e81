import type { PreviewLine } from "./preview-frame.tsx";

/** `src/App.tsx:12:5` as a file and a line of it. */
export function readPosition(place: string | null): { readonly path: string; readonly line: number } | null {
  const match = /^(.+?):(\d+)(?::\d+)?$/.exec(place ?? "");
  return match?.[1] ? { path: match[1], line: Number(match[2]) } : null;
}

/** What a person asks about a line of the log, in words for the composer. */
export function toQuestion({
  kind,
  level,
  text,
  place,
}: Pick<PreviewLine, "kind" | "level" | "text" | "place">): string {
  const what =
    kind === "network"
      ? "a request of the page"
      : level === "error"
        ? "an error of the page"
        : level === "warn"
          ? "a warning of the page"
          : "a line of the page's console";
  const quote = [
    ...text.trimEnd().split("\n").slice(0, mostLines),
    ...(place && !text.includes(place) ? [`at ${place}`] : []),
  ];
  return `About ${what}:\n\n${quote.map((line) => `> ${line}`).join("\n")}\n\n`;
}

const mostLines = 12;

export type LogLevel = "all" | "error" | "warn";

type Filter = { readonly kind: "console" | "network"; readonly level: LogLevel; readonly words: string };

export const fitsFilter = (line: PreviewLine, { kind, level, words }: Filter): boolean =>
  line.kind === kind &&
  (level === "all" || line.level === level) &&
  (words.trim() === "" || `${line.text} ${line.place ?? ""}`.toLowerCase().includes(words.trim().toLowerCase()));
