import { joinTexts, type MessageView } from "../../../protocol/fold.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import type { FoundCommand } from "../../tools/commands.ts";
import { lastWordsOf } from "./join-text.ts";

type NoteInput = {
  readonly messages: readonly MessageView[];
  readonly commands: readonly FoundCommand[];
  /** The command that this step handles. */
  readonly command: FoundCommand | undefined;
  readonly continues: PartOf<"text"> | null;
  readonly remainingLimits: string | undefined;
};

/** The note to the model at the end of a request; empty if there is nothing to say. */
export function toNote({ messages, commands, command, continues, remainingLimits }: NoteInput): string {
  return [
    ...renderCommand(commands, command),
    ...(continues ? [toContinuation(continues)] : isContinued(messages) ? [CONTINUED] : []),
    ...(remainingLimits === undefined ? [] : [remainingLimits]),
  ].join(" ");
}

/** The complete text at the end of an interrupted answer. */
export function findInterrupted(messages: readonly MessageView[]): PartOf<"text"> | null {
  const parts = joinTexts(messages.at(-1)?.parts ?? []).filter((part) => part.aside === undefined);
  const last = parts.findLast((part) => part.kind === "text" || part.kind === "tool");
  return last?.kind === "text" ? last : null;
}

/** Note to the model at the end of the request that continues the text. */
const toContinuation = ({ text }: PartOf<"text">): string =>
  `[Your answer above was interrupted. Continue it exactly where it stops. Begin with its last words, “${lastWordsOf(text)}”, ` +
  "then continue. Repeat nothing else, and do not mention the interruption.]";

/** With several commands in one message, each step handles one of them. */
const renderCommand = (all: readonly FoundCommand[], now: FoundCommand | undefined): readonly string[] =>
  all.length > 1 && now ? [`[Now do only ${now.command}, with ${now.tool}: “${now.text.slice(0, MAX_COMMAND)}”.]`] : [];

const MAX_COMMAND = 500;

const CONTINUED = "[The user extended the limit of this answer. Continue from where it stopped.]";

function isContinued(messages: readonly MessageView[]): boolean {
  const lastPart = messages.at(-1)?.parts.findLast((part) => part.kind === "text" || part.kind === "tool");
  return messages.at(-1)?.role === "assistant" && lastPart?.kind === "text" && lastPart.aside === undefined;
}
