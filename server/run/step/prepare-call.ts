import type { PartOf } from "../../../protocol/parts.ts";
import type { Catalog } from "../../tools/catalog.ts";

type ToolPart = PartOf<"tool">;

const LONGEST_INPUT = 1_000_000;

/**
 * A call as the model wrote it, made ready to run or answered at once: what cannot be run gets an error result that says what
 * was expected, while its siblings go on.
 */
export function prepareCall(part: ToolPart, catalog: Catalog, callIds: Set<string>): ToolPart {
  const { inputText = "", ...rest } = part;
  const callId = uniqueId(part.callId, callIds);
  const call = { ...rest, callId };
  if (part.state !== "ready") return { ...call, inputText };
  if (inputText.length > LONGEST_INPUT) {
    return refuse(call, `The arguments hold ${inputText.length} characters; at most ${LONGEST_INPUT} are taken.`);
  }
  const parsed = parseObject(inputText);
  if (!parsed) return refuse({ ...call, inputText }, "The arguments are not a JSON object.");
  const tool = catalog.find(part.name);
  if (!tool) return refuse({ ...call, input: parsed }, unknownTool(part.name, catalog));
  const checked = safely(() => tool.input.safeParse(parsed));
  if (!checked) return refuse({ ...call, inputText: inputText.slice(0, 1000) }, "The arguments are nested too deep.");
  if (checked.success) return { ...call, input: checked.data };
  const issues = checked.error.issues.map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`);
  return refuse({ ...call, input: parsed }, `The arguments do not fit: ${issues.join("; ")}.`);
}

const refuse = (part: ToolPart, errorText: string): ToolPart => ({ ...part, state: "error", errorText });

function uniqueId(callId: string, taken: Set<string>): string {
  let id = callId === "" ? "call" : callId;
  for (let n = 2; taken.has(id); n += 1) id = `${callId || "call"}-${n}`;
  taken.add(id);
  return id;
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    // What is nested too deep parses, but can be neither checked nor stored.
    JSON.stringify(value);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
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
