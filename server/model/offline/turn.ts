import type { ModelRequest, PromptMessage } from "../../../protocol/model.ts";

export type Input = Readonly<Record<string, unknown>>;

/** A call of this answer with what came of it; of `use_tool` it is the tool that was meant. */
export type Made = { readonly name: string; readonly input: Input; readonly text: string; readonly failed: boolean };

/** What the request shows of the answer that is being given. Older steps may have fallen out of it. */
export type Turn = {
  /** The person's last words. */
  readonly question: string;
  /** Everything before them. */
  readonly earlier: readonly PromptMessage[];
  readonly steps: number;
  /** Oldest first. */
  readonly made: readonly Made[];
  /** What this answer said so far. */
  readonly said: string;
  /** Tool calls that may still be made. */
  readonly callsLeft: number;
};

/** The run speaks to a model in brackets, after everything else. */
const noteForm =
  /^\[(?:The limit of this answer|Left for this answer|The user extended the limit of this answer)[^]*\]$/;

/** As much of a request is analysed: its patterns may take quadratic time. A longer text is quoted and searched, not obeyed. */
const REQUEST_CHARACTERS = 2000;

export const readTurn = (request: ModelRequest): Turn | undefined => {
  const { messages } = request;
  const isNote = (message: PromptMessage): boolean => message.role === "user" && noteForm.test(message.text.trim());
  const at = messages.findLastIndex((message) => message.role === "user" && !isNote(message));
  const asked = messages[at];
  if (asked?.role !== "user") return undefined;

  const since = messages.slice(at + 1);
  const note = since
    .filter(isNote)
    .map((message) => (message.role === "user" ? message.text : ""))
    .join(" ");
  const answers = since.filter((message) => message.role === "assistant");
  const parts = answers.flatMap((message) => message.parts);
  return {
    question: asked.text.slice(0, REQUEST_CHARACTERS).toWellFormed(),
    earlier: messages.slice(0, at),
    steps: answers.length,
    made: listMade(since),
    said: parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n"),
    callsLeft: request.toolChoice === "none" ? 0 : readLeft(note, answers.length > 0),
  };
};

const listMade = (since: readonly PromptMessage[]): readonly Made[] => {
  const inputs = new Map(
    since.flatMap((message) =>
      message.role === "assistant"
        ? message.parts.flatMap((part) =>
            part.kind === "tool-call" ? [[part.callId, toInput(part.input)] as const] : [],
          )
        : [],
    ),
  );
  return since
    .flatMap((message) => (message.role === "tool" ? message.results : []))
    .map(({ callId, name, text, failed }) => ({ ...resolve(name, inputs.get(callId) ?? {}), text, failed }));
};

const resolve = (name: string, input: Input): Pick<Made, "name" | "input"> =>
  name === "use_tool" && typeof input["name"] === "string"
    ? { name: input["name"], input: toInput(input["input"]) }
    : { name, input };

const toInput = (value: unknown): Input => (typeof value === "object" && value !== null ? (value as Input) : {});

/** Calls made with the last step, or with little time, would leave no room to tell what came of them. */
const readLeft = (note: string, hasBegun: boolean): number => {
  if (/limit of this answer is reached/.test(note)) return 0;
  if (hasBegun && /\b[01] more step|few tokens|little time/.test(note)) return 0;
  const calls = /(\d{1,9}) more tool call/.exec(note)?.[1];
  return calls === undefined ? Infinity : Number(calls);
};
