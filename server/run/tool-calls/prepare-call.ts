import type { PartOf } from "../../../protocol/parts.ts";
import type { Catalog } from "../../tools/catalog.ts";
import type { Question } from "./policy.ts";
import { findRepeat, type Made } from "./repeats.ts";
import type { Scope, Tool } from "../../tools/tool.ts";
import { parseArguments } from "./parse-arguments.ts";
import { resolveCall, withInput, type Resolved } from "./resolve-call.ts";

type ToolPart = PartOf<"tool">;

/** What a step's calls are judged by, and how much room they have; `calls` shrinks as they are taken. */
export type ToolCallContext = {
  readonly catalog: Catalog;
  readonly scope: Scope;
  /** Ids given before in this message. */
  readonly callIds: Set<string>;
  /** Calls of this answer so far, with their parts, oldest first. */
  readonly made: { readonly call: Made; readonly part: ToolPart }[];
  readonly room: { calls: number; readonly perTool: Map<string, number> };
  readonly ask: (tool: Tool, input: unknown) => Question | undefined;
  /** Arguments that came with a command of the person's, by the tool's name. */
  readonly commanded: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
};

export type Prepared = {
  readonly part: ToolPart;
  readonly question?: Question;
  /** Of the tool that it was judged for. */
  readonly identity?: string;
};

const LONGEST_INPUT = 1_000_000;

/**
 * A call as the model wrote it, made ready to run, or answered at once: what cannot be run gets an error result that says
 * what was expected, while its siblings go on.
 */
export function prepareCall(part: ToolPart, desk: ToolCallContext): Prepared {
  const { inputText = "", ...rest } = part;
  const call: ToolPart = { ...rest, callId: uniqueId(part.callId, desk.callIds) };
  if (part.state !== "ready") return { part: { ...call, inputText } };
  if (inputText.length > LONGEST_INPUT) {
    return refuse(call, `The arguments hold ${inputText.length} characters; at most ${LONGEST_INPUT} are taken.`);
  }
  const parsed = parseArguments(inputText);
  if (parsed === "incomplete") return refuse({ ...call, inputText: inputText.slice(0, 10_000) }, INCOMPLETE);
  if (!parsed)
    return refuse({ ...call, inputText: inputText.slice(0, 10_000) }, "The arguments are not a JSON object.");
  const asked: ToolPart = { ...call, input: parsed.value, ...(parsed.repaired ? { note: REPAIRED } : {}) };
  const resolved = resolveCall(asked, desk.catalog);
  const { tool } = resolved;
  if (!tool) return refuse(asked, unknownTool(resolved.name, desk.catalog));
  const given = { ...(resolved.input as object), ...desk.commanded.get(tool.name) };
  const filled = tool.fill?.(given, desk.scope) ?? given;
  const checked = safely(() => tool.input.safeParse(filled));
  if (!checked) return refuse({ ...call, inputText: inputText.slice(0, 1000) }, "The arguments are nested too deep.");
  if (!checked.success) {
    const issues = checked.error.issues.map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`);
    return refuse(withInput(asked, filled), `The arguments do not fit: ${issues.join("; ")}.`);
  }
  const unknown = listUnknown(filled, checked.data);
  if (unknown.length > 0) return refuse(asked, unknownArguments(unknown, tool, desk.catalog));
  return admit(
    withTitle(withInput(asked, checked.data), tool, checked.data),
    { ...resolved, tool, input: checked.data },
    desk,
  );
}

const INCOMPLETE = "The arguments are incomplete JSON. Call the tool again with complete, shorter arguments.";
const REPAIRED = "The arguments were not valid JSON and were repaired.";

/** Arguments that the schema does not know. Left out without a word, the call would be another than the model meant. */
function listUnknown(given: unknown, checked: unknown, path = ""): readonly string[] {
  if (typeof given !== "object" || typeof checked !== "object" || given === null || checked === null) return [];
  return Object.entries(given).flatMap(([name, value]) =>
    name in checked
      ? listUnknown(value, (checked as Record<string, unknown>)[name], `${path}${name}.`)
      : value === undefined
        ? []
        : [`${path}${name}`],
  );
}

const MOST_NAMED = 10;

function unknownArguments(unknown: readonly string[], { name }: Tool, catalog: Catalog): string {
  const [spec] = catalog.specsOf([name]);
  const known = Object.keys((spec?.inputSchema as { properties?: object } | undefined)?.properties ?? {});
  const named = unknown.slice(0, MOST_NAMED).map((one) => one.slice(0, 100));
  return (
    `Not run. Unknown ${unknown.length === 1 ? "argument" : "arguments"}: ${named.join(", ")}. ` +
    (known.length > 0 ? `Known arguments: ${known.join(", ")}.` : "This tool takes no arguments.")
  );
}

/** A call that could be run: whether it is, is known already, is a circle, is too many, or must be asked for. */
function admit(
  part: ToolPart,
  { tool, name, input }: Resolved & { readonly tool: Tool },
  desk: ToolCallContext,
): Prepared {
  const [pure, changing] = [tool.repeat === "pure", tool.volatile === true];
  const repeat = findRepeat(
    desk.made.map(({ call }) => call),
    { name, input, pure, changing },
  );
  const note = (ended: ToolPart): ToolPart => {
    desk.made.push({ call: { name, input, pure, changing, ok: ended.state === "ok" }, part: ended });
    return ended;
  };
  if (repeat?.kind === "circle") return { part: note(refuse(part, repeat.text).part) };
  if (repeat?.kind === "known") {
    const { output, digest, gist, redacted, untrusted } = desk.made[repeat.index]?.part ?? {};
    const found: ToolPart = {
      ...part,
      state: "ok",
      output,
      note: KNOWN,
      ...(digest === undefined ? {} : { digest }),
      ...(gist === undefined ? {} : { gist }),
      ...(redacted === undefined ? {} : { redacted }),
      ...(untrusted === undefined ? {} : { untrusted }),
    };
    return { part: note(found) };
  }
  const left = desk.room.perTool.get(name);
  if (left !== undefined && left <= 0) {
    const text = `The calls of ${name} for this answer are used up. Go on with what you have.`;
    return { part: note(refuse(part, text).part) };
  }
  if (desk.room.calls <= 0) return { part: { ...part, state: "cancelled", errorText: LIMIT } };
  desk.room.calls -= 1;
  if (left !== undefined) desk.room.perTool.set(name, left - 1);
  const question = desk.ask(tool, input);
  const judged = tool.identity === undefined ? {} : { identity: tool.identity };
  if (!question) return { part: note(part), ...judged };
  const { code, text } = question;
  return { part: note({ ...part, state: "asking", asks: { code, text } }), question, ...judged };
}

const KNOWN = "The same call was made before in this answer and nothing was written since: this is its result.";
const LIMIT = "Not run: the limit of this answer was reached.";

const withTitle = (part: ToolPart, tool: Tool, input: unknown): ToolPart => {
  const title = safely(() => tool.describe?.(input));
  return title === undefined ? part : { ...part, title: title.slice(0, 300) };
};

/** The text is the server's own: it adds no source to those of the prompt. */
const refuse = (part: ToolPart, errorText: string): Prepared => ({
  part: { ...part, state: "error", errorText, untrusted: [] },
});

function uniqueId(callId: string, taken: Set<string>): string {
  let id = callId === "" ? "call" : callId;
  for (let n = 2; taken.has(id); n += 1) id = `${callId || "call"}-${n}`;
  taken.add(id);
  return id;
}

function safely<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const unknownTool = (name: string, catalog: Catalog): string => {
  const known = catalog.specs.map((spec) => spec.name).join(", ");
  return `There is no tool "${name}". ${known ? `There are: ${known}.` : "No tools are offered here."}`;
};
