import { completionToEvents, repairLine } from "./repair-event.ts";
import type { Watch, WireFormat } from "./watch.ts";

/** A success status with a body that is not an event stream: a web page, an error document or nothing. */
export class NotAStream extends Error {
  override readonly name = "NotAStream";
  /** The beginning of the body. */
  readonly body: string;
  constructor(body: string) {
    super("The response is not an event stream.");
    this.body = body;
  }
}

/** A document longer than this is not an answer. */
const documentCharacters = 4_000_000;
const fields = ["data:", "event:", "id:", "retry:", ":"];
const lineBreak = /\r\n|\r|\n/;

type Kind = "unknown" | "events" | "document";

export type StreamText = {
  /** The text to pass on. `isOver`: the server marked the end; the rest is ignored. */
  readonly read: (text: string) => { readonly text: string; readonly isOver: boolean };
  /** The text to pass on at the end of the body; throws `NotAStream`. */
  readonly end: () => string;
};

/**
 * Reads the body of a successful model call. Event streams are read line by line and repaired where servers differ from what
 * the provider packages accept; anything else is collected and classified as a whole.
 */
export const createStreamText = (format: WireFormat, watch: Watch): StreamText => {
  let kind: Kind = "unknown";
  let rest: string[] = [];
  let held = 0;
  let endsWithReturn = false;

  const hold = (text: string): void => {
    rest.push(text);
    held += text.length;
  };
  const takeAll = (): string => {
    const all = rest.join("");
    rest = [];
    held = 0;
    return all;
  };

  const readLines = (text: string) => {
    const fresh = endsWithReturn && text.startsWith("\n") ? text.slice(1) : text;
    const last = Math.max(fresh.lastIndexOf("\n"), fresh.lastIndexOf("\r"));
    endsWithReturn = fresh === "" ? endsWithReturn : last === fresh.length - 1 && fresh.endsWith("\r");
    if (last < 0) {
      hold(fresh);
      return { text: "", isOver: false };
    }
    hold(fresh.slice(0, last));
    const lines = takeAll().split(lineBreak);
    hold(fresh.slice(last + 1));
    return repairAll(lines);
  };
  const repairAll = (lines: readonly string[]) => {
    let out = "";
    for (const line of lines) {
      const repaired = repairLine(line, format, watch);
      if (repaired === null) {
        watch.isDone = true;
        return { text: `${out}\n\n`, isOver: true };
      }
      if (repaired !== undefined) out += `${repaired}\n`;
    }
    return { text: out, isOver: false };
  };

  const decide = (): Kind => {
    const start = rest
      .join("")
      .replace(/^\uFEFF/, "")
      .trimStart()
      .slice(0, 10);
    if (fields.some((field) => start.startsWith(field))) return "events";
    return held > 1000 || !fields.some((field) => field.startsWith(start)) ? "document" : "unknown";
  };

  return {
    read: (text) => {
      if (kind === "events") return readLines(text);
      hold(text);
      if (kind === "unknown") kind = decide();
      if (kind === "events") return readLines(takeAll().replace(/^\uFEFF/, ""));
      return { text: "", isOver: held > documentCharacters };
    },
    end: () => {
      const left = takeAll();
      if (kind === "events" || (kind === "unknown" && left.trim() !== "")) {
        // An incomplete last line is dropped: the missing finish is the error.
        const whole = left === "" || isWholeLine(left) ? repairAll([left]).text : "";
        return `${whole}\n\n`;
      }
      const events = format === "chat" ? completionToEvents(left, watch) : undefined;
      if (events === undefined) throw new NotAStream(left.slice(0, 20_000));
      return events;
    },
  };
};

const isWholeLine = (line: string): boolean => {
  if (!line.startsWith("data:")) return true;
  const data = line.slice("data:".length).trim();
  if (data === "[DONE]") return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
};
