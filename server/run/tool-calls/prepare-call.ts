import type { PartOf } from "../../../protocol/parts.ts";
import { QUESTION } from "../../../protocol/question.ts";
import { say, sentence, type Text } from "../../../protocol/sentences.ts";
import type { Catalog } from "../../tools/catalog.ts";
import { CLIENT } from "../caller/caller.ts";
import type { ApprovalRequest } from "./approval-rules.ts";
import { findRepeat, type EarlierCall } from "./repeats.ts";
import type { Scope, Tool } from "../../tools/tool.ts";
import { findInexactInteger } from "../../lib/exact-json.ts";
import { parseArguments } from "./parse-arguments.ts";
import { resolveCall, withInput, type ResolvedCall } from "./resolve-call.ts";

type ToolPart = PartOf<"tool">;

/** Data that the calls of a step are checked against. `remaining` decreases as calls are accepted. */
export type ToolCallContext = {
  readonly catalog: Catalog;
  /** Names of the tools that the model was offered; null: all of the catalog, because it was offered `use_tool`. */
  readonly offered: ReadonlySet<string> | null;
  readonly scope: Scope;
  /** Call ids used in this message so far. */
  readonly callIds: Set<string>;
  /** Calls of this answer so far, with their parts, oldest first. */
  readonly earlier: { readonly call: EarlierCall; readonly part: ToolPart }[];
  readonly remaining: { calls: number; readonly perTool: Map<string, number> };
  readonly findApproval: (tool: Tool, input: unknown) => ApprovalRequest | undefined;
  /** A warning if the prompt contains untrusted content, which a question may repeat; otherwise empty. */
  readonly describeUntrusted: () => Text;
  /** Tools that the program that sent the message runs. */
  readonly callerTools: ReadonlySet<string>;
  /** No user can approve a call. */
  readonly isUnattended: boolean;
  /** Arguments from commands in the user's message, by tool name. */
  readonly commanded: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
};

export type PreparedToolCall = {
  readonly part: ToolPart;
  readonly approval?: ApprovalRequest;
  /** Identity of the tool that the call was checked against. */
  readonly identity?: string;
};

const MAX_INPUT = 1_000_000;

/**
 * Prepares a tool call of the model. An invalid call gets an error result that says what was expected; the other calls of the
 * step still run.
 */
export function prepareCall(part: ToolPart, context: ToolCallContext): PreparedToolCall {
  const { inputText = "", ...rest } = part;
  const call: ToolPart = { ...rest, callId: uniqueId(part.callId, context.callIds) };
  if (part.state !== "ready") return { part: { ...call, inputText } };
  if (inputText.length > MAX_INPUT) {
    return refuse(call, `The arguments have ${inputText.length} characters; at most ${MAX_INPUT} are accepted.`);
  }
  const parsed = parseArguments(inputText);
  if (parsed === "incomplete") return refuse({ ...call, inputText: inputText.slice(0, 10_000) }, INCOMPLETE);
  if (!parsed)
    return refuse({ ...call, inputText: inputText.slice(0, 10_000) }, "The arguments are not a JSON object.");
  const asked: ToolPart = { ...call, input: parsed.value, ...(parsed.repaired ? { note: REPAIRED } : {}) };
  if (context.callerTools.has(call.name)) {
    // The program gets the arguments as the model wrote them, with all digits of its numbers.
    const written = JSON.stringify(parsed.value) === parsed.text ? {} : { inputText: parsed.text };
    const asks = { code: CLIENT, ...say(sentence("waits-for-client")) };
    return { part: { ...asked, ...written, client: true, state: "asking", asks } };
  }
  const inexact = findInexactInteger(parsed.text);
  if (inexact !== undefined) return refuse({ ...call, inputText: inputText.slice(0, 10_000) }, tooManyDigits(inexact));
  const resolved = resolveCall(asked, context.catalog);
  const { tool } = resolved;
  const isOffered = context.offered?.has(context.catalog.nameOf(call.name)) ?? true;
  if (!tool || !isOffered) return refuse(asked, describeUnknown(tool ? call.name : resolved.name, context));
  const given = { ...(resolved.input as object), ...context.commanded.get(tool.name) };
  const filled = tool.fill?.(given, context.scope) ?? given;
  const checked = safely(() => tool.input.safeParse(filled));
  if (!checked) return refuse({ ...call, inputText: inputText.slice(0, 1000) }, "The arguments are nested too deeply.");
  if (!checked.success) {
    const issues = checked.error.issues.map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`);
    return refuse(withInput(asked, filled), `The arguments do not match the schema: ${issues.join("; ")}.`);
  }
  const unknown = listUnknown(filled, checked.data);
  if (unknown.length > 0) return refuse(asked, unknownArguments(unknown, tool, context.catalog));
  return admit(
    withTitle(withInput(asked, checked.data), tool, checked.data),
    { ...resolved, tool, input: checked.data },
    context,
  );
}

const INCOMPLETE = "The arguments are incomplete JSON. Call the tool again with complete, shorter arguments.";
const tooManyDigits = (number: string): string =>
  `Not run. The number ${number.slice(0, 100)} has too many digits to be read exactly. Pass it as a string, in quotes.`;
const REPAIRED = "The arguments were not valid JSON and were repaired.";

/** Arguments that are not in the schema. Dropping them silently would change the meaning of the call. */
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

const MAX_NAMED = 10;

function unknownArguments(unknown: readonly string[], { name }: Tool, catalog: Catalog): string {
  const [spec] = catalog.specsOf([name]);
  const known = Object.keys((spec?.inputSchema as { properties?: object } | undefined)?.properties ?? {});
  const named = unknown.slice(0, MAX_NAMED).map((one) => one.slice(0, 100));
  return (
    `Not run. Unknown ${unknown.length === 1 ? "argument" : "arguments"}: ${named.join(", ")}. ` +
    (known.length > 0 ? `Known arguments: ${known.join(", ")}.` : "This tool takes no arguments.")
  );
}

/** Decides about a valid call: run, reuse an earlier result, reject as a loop or over the limit, or wait for approval. */
function admit(
  part: ToolPart,
  { tool, name, input }: ResolvedCall & { readonly tool: Tool },
  context: ToolCallContext,
): PreparedToolCall {
  const [pure, changing] = [tool.repeat === "pure", tool.volatile === true];
  const repeat = findRepeat(
    context.earlier.map(({ call }) => call),
    { name, input, pure, changing },
  );
  const note = (ended: ToolPart): ToolPart => {
    context.earlier.push({ call: { name, input, pure, changing, ok: ended.state === "ok" }, part: ended });
    return ended;
  };
  if (repeat?.kind === "circle") return { part: note(refuse(part, repeat.text).part) };
  if (repeat?.kind === "known") {
    const { output, digest, gist, redacted, untrusted } = context.earlier[repeat.index]?.part ?? {};
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
  const left = context.remaining.perTool.get(name);
  if (left !== undefined && left <= 0) {
    const text = `The limit of ${name} calls for this answer is reached. Continue with the results so far.`;
    return { part: note(refuse(part, text).part) };
  }
  if (context.remaining.calls <= 0) return { part: { ...part, state: "cancelled", errorText: LIMIT } };
  context.remaining.calls -= 1;
  if (left !== undefined) context.remaining.perTool.set(name, left - 1);
  const approval = context.findApproval(tool, input);
  if (context.isUnattended && (approval || tool.asksUser)) return { part: note(refuse(part, UNATTENDED).part) };
  const judged = tool.identity === undefined ? {} : { identity: tool.identity };
  if (!approval && tool.asksUser) {
    const asks = { code: QUESTION, ...context.describeUntrusted() };
    return { part: note({ ...part, state: "asking", asks }), ...judged };
  }
  if (!approval) return { part: note(part), ...judged };
  const { key: _, ...asks } = approval;
  return { part: note({ ...part, state: "asking", asks }), approval, ...judged };
}

const UNATTENDED = "Not run: this call needs the user, and the message came from a program.";
const KNOWN = "The same call was made earlier in this answer and nothing was written since. This is its result.";
const LIMIT = "Not run: the limit of this answer was reached.";

const withTitle = (part: ToolPart, tool: Tool, input: unknown): ToolPart => {
  const title = safely(() => tool.describe?.(input));
  return title === undefined ? part : { ...part, title: title.slice(0, 300) };
};

/** The error text is Stonechat's, so it adds no untrusted source. */
const refuse = (part: ToolPart, errorText: string): PreparedToolCall => ({
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

function describeUnknown(name: string, { catalog, offered, callerTools }: ToolCallContext): string {
  const known = [...(offered ?? catalog.specs.map((spec) => spec.name)), ...callerTools].toSorted().join(", ");
  return `There is no tool "${name}". ${known ? `Available tools: ${known}.` : "No tools are available."}`;
}
