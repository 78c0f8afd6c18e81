import type { ToolSpec } from "../../../protocol/model.ts";
import { findMemory, toMemoryWish } from "./intents/find-memory.ts";
import { findReading, findRef, listUrls } from "./intents/find-reading.ts";
import { findResearch } from "./intents/find-research.ts";
import { findSum, toExpression } from "./intents/find-sum.ts";
import { findTime } from "./intents/find-time.ts";
import { findWeather } from "./intents/find-weather.ts";
import { toQueries, toQuery } from "./intents/to-queries.ts";
import { toRequest } from "./intents/polite.ts";
import { wishFor, type Wish } from "./intents/wish.ts";
import { findBuilding } from "./builder/asked.ts";
import { findAsked } from "./project/asked.ts";
import { startProject } from "./project/steps.ts";

/** Longer words are a text, not a request; and patterns are for short ones. */
export const longestRequest = 1000;

/** What these words plainly ask for; undefined when they ask for no tool. Patterns, not understanding. */
export const findWish = (text: string, system: string, tools: readonly ToolSpec[], now?: number): Wish | undefined => {
  if (text.length > longestRequest) return undefined;
  const names = tools.map(({ name }) => name);
  const wish =
    findReading(text) ??
    findWork(text, tools, now) ??
    findMemory(text, system) ??
    findSum(text) ??
    findWeather(text, system) ??
    findTime(text, names);
  if (wish !== undefined) return wish;
  const subject = findResearch(text);
  return subject === undefined ? undefined : { kind: "research", subject };
};

/** In a workspace a page is something to build, elsewhere something to write. */
const findWork = (text: string, tools: readonly ToolSpec[], now: number | undefined): Wish | undefined => {
  const asked = findAsked(text, now);
  const work = asked === undefined ? [] : [startProject(asked)];
  const building = findBuilding(text);
  const isBuilder = tools.some(({ name }) => name === "write_file");
  const [first, ...more] = (isBuilder ? [building, work] : [work, building]).find(({ length }) => length > 0) ?? [];
  return first === undefined ? undefined : { kind: "steps", steps: [first, ...more] };
};

/** The call of a tool that the person chose, from the words beside the command. */
export const wishByName = (tool: ToolSpec, text: string, system: string): Wish => {
  const fill = byName[tool.name];
  return fill?.(text.slice(0, longestRequest), system) ?? fillAny(tool, text);
};

const ask = (tool: string, text: string): Wish => ({ kind: "ask", tool, text });

const byName: Readonly<Record<string, (text: string, system: string) => Wish>> = {
  working_memory: toMemoryWish,
  search_web: (text) => {
    const query = toQuery(findResearch(text) ?? text);
    return query === ""
      ? ask("search_web", "Say what to search for, behind the command.")
      : wishFor("search_web", { query });
  },
  plan_research: (text) => {
    const queries = toQueries(findResearch(text) ?? text);
    return queries.length === 0
      ? ask("plan_research", "Say what to find out, behind the command.")
      : wishFor("plan_research", { queries });
  },
  scrape_webpage: (text) => {
    const urls = listUrls(text);
    return urls.length === 0
      ? ask("scrape_webpage", "Say which page to read: its address, behind the command.")
      : wishFor("scrape_webpage", { urls });
  },
  weather: (text, system) => {
    const forms = [text, `weather ${text}`, `weather in ${text}`];
    const found = forms.map((form) => findWeather(form, system)).find((wish) => wish?.kind === "call");
    return found ?? findWeather("weather", system) ?? ask("weather", "Say for which place.");
  },
  calculate: (text) => {
    const expression = toExpression(toRequest(text));
    const found =
      findSum(text) ??
      (expression === "" ? undefined : wishFor("calculate", { expression: expression.slice(0, 2000) }));
    return found ?? ask("calculate", "Say what to calculate, behind the command.");
  },
  read_artifact: (text) => findRef(text) ?? ask("read_artifact", "Say which one: its number, as in [3]."),
  now: (text) => findTime(`what time is it ${text}`, ["now"]) ?? wishFor("now", {}),
};

const fillAny = (tool: ToolSpec, text: string): Wish => wishFor(tool.name, fillInput(tool.inputSchema, text));

/** Required fields only: words go into texts, as many as fit; the rest of a schema gets its plainest value. */
const fillInput = (schema: object, text: string): Record<string, unknown> => {
  const { properties, required } = schema as { properties?: Record<string, Field>; required?: readonly string[] };
  const input: Record<string, unknown> = {};
  for (const name of required ?? []) input[name] = toPlainest(properties?.[name] ?? {}, text);
  return input;
};

type Field = {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly items?: Field;
  readonly minimum?: number;
  readonly maximum?: number;
};

const toPlainest = (field: Field, text: string): unknown => {
  if (field.default !== undefined) return field.default;
  if (field.enum !== undefined && field.enum.length > 0) return field.enum[0];
  switch (field.type) {
    case "number":
    case "integer": {
      const number = Number(/-?\d+(?:\.\d+)?/.exec(text)?.[0] ?? 1);
      return Math.min(field.maximum ?? Infinity, Math.max(field.minimum ?? -Infinity, number));
    }
    case "boolean":
      return true;
    case "array":
      return (field.minItems ?? 0) > 0 ? [toPlainest(field.items ?? {}, text)] : [];
    case "object":
      return fillInput(field, text);
    default:
      return text.slice(0, field.maxLength).toWellFormed();
  }
};
