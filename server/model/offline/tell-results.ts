import { toPlainText } from "./outputs/evidence.ts";
import { isForgetting } from "./intents/find-memory.ts";
import { readJson } from "./outputs/read-json.ts";
import { toFields, toList, toText } from "./outputs/read-web.ts";
import { tellProject } from "./project/tell.ts";
import { asQuote, cut } from "./quote.ts";
import type { Made } from "./turn.ts";

/** What came of a call, quoted. */
export const tellResult = (made: Made, question: string): string => {
  if (made.failed) return tellFailure(made);
  const output = toFields(readJson(made.text));
  if (output === undefined) return quoteTool(made.name, toPlainText(made.text));
  return byTool[made.name]?.(output, question) ?? quoteTool(made.name, toPlainText(made.text));
};

const denied = /^The (?:user|person) denied this call(?:: ([^]+)|\.)$/;

const tellFailure = ({ name, text }: Made): string => {
  const denial = denied.exec(text);
  if (denial === null) return `The tool \`${name}\` failed: ${cut(text)}`;
  return `You did not allow \`${name}\`${denial[1] === undefined ? "" : ` (“${cut(denial[1])}”)`}, so it was not run.`;
};

type Output = Readonly<Record<string, unknown>>;

const quoteTool = (name: string, text: string): string => `The tool \`${name}\` answered:\n\n${asQuote(cut(text))}`;

const byTool: Readonly<Record<string, (output: Output, question: string) => string | undefined>> = {
  ...tellProject,
  calculate: ({ read, result, exact }) =>
    typeof read === "string" && typeof result === "string"
      ? quoteTool("calculate", `${read} ${exact === false ? "≈" : "="} ${result}`)
      : undefined,
  weather: ({ text, ref }) =>
    typeof text === "string"
      ? quoteTool("weather", typeof ref === "number" ? `${cut(text)} [${ref}]` : text)
      : undefined,
  working_memory: (output, question) => tellMemory(output, question),
  find_tools: ({ tools }) => (toList(tools).length === 0 ? "There is no tool here that does this." : undefined),
};

const tellMemory = ({ memory, changes, note }: Output, question: string): string | undefined => {
  const known = toFields(memory);
  if (known !== undefined) return tellKnown(known, question);
  const made = toList(changes).map((change) => toFields(change) ?? {});
  if (made.length === 0) return toText(note) === "" ? undefined : quoteTool("working_memory", toText(note));
  return made.map(tellChange).join("\n\n");
};

const tellChange = ({ field, before, after }: Output): string => {
  const name = toText(field);
  if (toText(after) === "") return `Forgotten:\n\n${asQuote(cut(`${name}: ${toText(before)}`))}`;
  const old = toText(before) === "" ? "" : `\n\nBefore it was:\n\n${asQuote(cut(`${name}: ${toText(before)}`))}`;
  return `Remembered:\n\n${asQuote(cut(`${name}: ${toText(after)}`))}${old}`;
};

const tellKnown = (known: Output, question: string): string => {
  const lines = Object.entries(known).map(
    ([field, value]) => `${field}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  if (lines.length === 0) return "Nothing is remembered about you.";
  const missed = "None of it fits what is to be forgotten; name the field, as in *forget my location*.";
  return `This is remembered about you:\n\n${asQuote(cut(lines.join("\n")))}${isForgetting(question) ? `\n\n${missed}` : ""}`;
};
