import { isForgetting } from "./memory.ts";
import { asQuote, cut } from "./passages.ts";
import { projectRenderers } from "./project.ts";
import { readJson, toFields, toList, toReadable, toText, type FinishedCall, type Input } from "./tool-results.ts";

/** The result of a tool call as text: a known tool in words, any other quoted. */
export const renderResult = (call: FinishedCall, question: string): string => {
  if (call.failed) return renderFailure(call);
  const output = toFields(readJson(call.text));
  const rendered = output && renderers[call.name]?.(output, question);
  return rendered ?? quoteTool(call.name, toReadable(call.text));
};

/** As `run/` writes it. */
const denial = /^The user denied this call(?:: ([^]+)|\.)$/;

const renderFailure = ({ name, text }: FinishedCall): string => {
  const denied = denial.exec(text);
  if (denied === null) return `The tool \`${name}\` failed: ${cut(text)}`;
  return `You did not allow \`${name}\`${denied[1] === undefined ? "" : ` (“${cut(denied[1])}”)`}, so it was not run.`;
};

const quoteTool = (name: string, text: string): string => `The tool \`${name}\` answered:\n\n${asQuote(cut(text))}`;

const renderers: Readonly<Record<string, (output: Input, question: string) => string | undefined>> = {
  ...projectRenderers,
  calculate: ({ read, result, exact }) =>
    typeof read === "string" && typeof result === "string"
      ? quoteTool("calculate", `${read} ${exact === false ? "≈" : "="} ${result}`)
      : undefined,
  weather: ({ text, ref }) =>
    typeof text === "string"
      ? quoteTool("weather", `${cut(text)}${typeof ref === "number" ? ` [${ref}]` : ""}`)
      : undefined,
  working_memory: ({ memory, changes, note }, question) => {
    const known = toFields(memory);
    if (known !== undefined) return renderMemory(known, question);
    const made = toList(changes).map((change) => renderChange(toFields(change) ?? {}));
    if (made.length > 0) return made.join("\n\n");
    return toText(note) === "" ? undefined : quoteTool("working_memory", toText(note));
  },
  find_tools: ({ tools }) => (toList(tools).length === 0 ? "No tool here can do this." : undefined),
};

const renderChange = ({ field, before, after }: Input): string => {
  const quote = (value: unknown): string => asQuote(cut(`${toText(field)}: ${toText(value)}`));
  if (toText(after) === "") return `Forgotten:\n\n${quote(before)}`;
  return `Remembered:\n\n${quote(after)}${toText(before) === "" ? "" : `\n\nBefore:\n\n${quote(before)}`}`;
};

const renderMemory = (memory: Input, question: string): string => {
  const lines = Object.entries(memory).map(
    ([field, value]) => `${field}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  if (lines.length === 0) return "Nothing is remembered about you.";
  const missed = "\n\nNothing matches what you want to forget. Name the field, as in *forget my location*.";
  return `This is remembered about you:\n\n${asQuote(cut(lines.join("\n")))}${isForgetting(question) ? missed : ""}`;
};
