import type { ToolSpec } from "../../../protocol/model.ts";
import {
  findQuery,
  findReading,
  findResearch,
  findSum,
  findTime,
  findWeather,
  listUrls,
  toCall,
  toExpression,
  toRequest,
  type ParsedRequest,
} from "./intents.ts";
import { fillMemory } from "./memory.ts";

const mention = /(?<![\p{L}\p{N}_@./:+=&#~%-])@([\p{L}\p{N}_][\p{L}\p{N}_-]*)(?![@/:]|\.[\p{L}\p{N}])/gu;
const commandNames = new Set(["basic", "search", "workingmemory", "summarize"]);

/** Separates @commands from the user's other words. Which tool a command chooses is decided by the run. */
export const readCommands = (text: string, tools: readonly ToolSpec[]) => {
  const names = new Set(tools.map(({ name }) => toKey(name)));
  const found = [...text.matchAll(mention)].filter(
    ([, word = ""]) => commandNames.has(toKey(word)) || names.has(toKey(word)),
  );
  const segments = found.map((match, index) => text.slice(match.index + match[0].length, found[index + 1]?.index));
  const rest = toLine([text.slice(0, found[0]?.index), ...segments].join(" "));
  return {
    commands: found.map(([, word = ""]) => toKey(word)),
    /** The text without commands. */
    rest,
    /** The words after one of several commands, or all words if it has none. */
    wordsOf: (index: number): string => (segments.length > 1 ? toLine(segments[index] ?? "") : "") || rest,
  };
};

const toKey = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");
const toLine = (text: string): string => text.replace(/[^\S\n]+/g, " ").trim();

type Fill = (text: string, memory: ReadonlyMap<string, string>) => ParsedRequest | undefined;

const fillers: Readonly<Record<string, Fill>> = {
  working_memory: fillMemory,
  search_web: (text) => {
    const query = findQuery(findResearch(text) ?? text);
    return query === "" ? undefined : toCall("search_web", { query });
  },
  plan_research: (text) => (text === "" ? undefined : { kind: "research", subject: findResearch(text) ?? text }),
  scrape_webpage: (text) => {
    const urls = listUrls(text);
    return urls.length === 0 ? undefined : toCall("scrape_webpage", { urls });
  },
  weather: (text, memory) =>
    [text, `weather ${text}`, `weather in ${text}`]
      .map((form) => findWeather(form, memory))
      .find((intent) => intent?.kind === "call") ?? findWeather("weather", memory),
  calculate: (text) => {
    const expression = toExpression(toRequest(text)).slice(0, 2000);
    return findSum(text) ?? (expression === "" ? undefined : toCall("calculate", { expression }));
  },
  read_artifact: (text) => findReading(`open [${/\d{1,9}/.exec(text)?.[0] ?? 0}]`),
  now: (text) => findTime(`what time is it ${text}`),
};

/** The call of a tool that the user named, filled from the other words of the message. */
export const fillTool = (tool: ToolSpec, text: string, memory: ReadonlyMap<string, string>): ParsedRequest => {
  const fill = fillers[tool.name];
  if (fill === undefined) return toCall(tool.name, fillInput(tool.inputSchema, text));
  const missing = `\`${tool.name}\` needs more words: say after the command what to do.`;
  return fill(text.slice(0, 1000), memory) ?? { kind: "ask", tool: tool.name, text: missing };
};

type Field = { readonly type?: unknown; readonly maxLength?: number };

/** Required text fields get the user's words, other required fields a neutral value. */
const fillInput = (schema: object, text: string): Record<string, unknown> => {
  const { properties, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, Field>>;
    readonly required?: readonly string[];
  };
  const fill = ({ type, maxLength }: Field): unknown => {
    if (type === "number" || type === "integer") return Number(/-?\d+(?:\.\d+)?/.exec(text)?.[0] ?? 1);
    if (type === "boolean") return true;
    if (type === "array") return [];
    return type === "object" ? {} : text.slice(0, maxLength).toWellFormed();
  };
  return Object.fromEntries(required.map((name) => [name, fill(properties?.[name] ?? {})]));
};
