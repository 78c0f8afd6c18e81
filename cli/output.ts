import { styleText } from "node:util";
import { describeEnd, toEarlyEnd } from "../protocol/fold.ts";
import type { Part, PartOf } from "../protocol/parts.ts";
import type { RunView } from "../protocol/run.ts";

type Sink = { readonly write: (text: string) => unknown; readonly isTTY?: boolean };

/** Shows an answer while it grows. Each call of `show` prints the new text only. */
export type Output = {
  readonly show: (parts: readonly Part[]) => void;
  readonly end: (run: RunView) => void;
  readonly note: (text: string) => void;
  /** A JSON line; ignored in text mode. */
  readonly record: (value: object) => void;
};

/** `text` gets the answer, `notes` tools and notices, so that an answer can be piped. */
export function createTextOutput(text: Sink, notes: Sink): Output {
  const printed = new Map<string, string>();
  let column = 0;
  let hasText = false;
  const write = (piece: string): void => {
    const safe = toPrintable(piece);
    if (safe === "") return;
    text.write(safe);
    column = safe.endsWith("\n") ? 0 : 1;
  };
  const startLine = (): void => {
    if (column > 0) write("\n");
  };
  const note = (line: string): void => {
    // In a terminal both appear below each other. A piped answer gets no lines that the model did not write.
    if (text.isTTY) startLine();
    notes.write(`${dim(toPrintable(line), notes.isTTY === true)}\n`);
  };

  return {
    note,
    record: () => {},
    show: (parts) => {
      for (const part of parts) {
        const before = printed.get(part.id);
        if (part.kind === "text" && part.aside === undefined) {
          if (before === undefined && !part.joined && hasText) {
            startLine();
            write("\n");
          }
          hasText = true;
          write(part.text.slice(before?.length ?? 0));
          printed.set(part.id, part.text);
        } else {
          const line = describePart(part);
          if (line !== undefined && line !== before) note(line);
          if (line !== undefined) printed.set(part.id, line);
        }
      }
    },
    end: (run) => {
      startLine();
      const early = toEarlyEnd(run);
      if (early) note(describeEnd(early));
      printed.clear();
      hasText = false;
    },
  };
}

/** One JSON object per line. Texts are sent in pieces as they arrive. */
export function createJsonOutput(sink: Sink): Output {
  const printed = new Map<string, string>();
  const record = (value: object): void => void sink.write(`${JSON.stringify(value)}\n`);
  return {
    note: () => {},
    record,
    show: (parts) => {
      for (const part of parts) {
        const before = printed.get(part.id);
        if (part.kind === "text" || part.kind === "reasoning") {
          const text = part.text.slice(before?.length ?? 0);
          if (text !== "") record({ type: part.kind, partId: part.id, text });
          printed.set(part.id, part.text);
          continue;
        }
        const value = toRecord(part);
        const line = JSON.stringify(value);
        if (value === undefined || line === before) continue;
        record(value);
        printed.set(part.id, line);
      }
    },
    end: ({ id, outcome, reason, model, usage, costUsd }) => {
      record({ type: "end", runId: id, outcome, reason, model, usage, costUsd });
      printed.clear();
    },
  };
}

function describePart(part: Part): string | undefined {
  switch (part.kind) {
    case "tool":
      return describeTool(part);
    case "notice":
      return part.text;
    case "source":
      return part.ref === undefined ? undefined : `[${part.ref}] ${part.title ?? ""} ${part.url ?? ""}`.trimEnd();
    case "file":
      return `File: ${part.name ?? part.mediaType}`;
    default:
      return undefined;
  }
}

function describeTool({ name, title, state, errorText, progress }: PartOf<"tool">): string | undefined {
  if (state === "input-streaming" || state === "ready") return undefined;
  const what = `${name}: ${title ?? ""}`.replace(/: $/, "");
  if (state === "running") return `→ ${what}${progress ? ` (${progress.text})` : ""}`;
  if (state === "asking") return undefined;
  return state === "ok" ? `✓ ${what}` : `✗ ${what} (${state}${errorText ? `: ${errorText}` : ""})`;
}

function toRecord(part: Part): object | undefined {
  switch (part.kind) {
    case "tool": {
      const { id: partId, kind: type, name, title, state, input, output, errorText } = part;
      if (state === "input-streaming" || state === "ready") return undefined;
      return { type, partId, name, title, state, input, output, errorText };
    }
    case "notice":
      return { type: "notice", level: part.level, code: part.code, text: part.text };
    case "source":
      return { type: "source", ref: part.ref, title: part.title, url: part.url, status: part.status };
    case "file":
      return { type: "file", name: part.name, mediaType: part.mediaType, content: part.content };
    default:
      return undefined;
  }
}

/** Without control characters: text of a model or a page must not control the terminal. */
export const toPrintable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

const dim = (text: string, isTerminal: boolean): string =>
  isTerminal ? styleText("dim", text, { validateStream: false }) : text;
