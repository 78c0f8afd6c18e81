import type { ToolSpec } from "../../../protocol/model.ts";

export type ToolChoice = { readonly callId: string; readonly name: string; readonly input: Record<string, unknown> };

/**
 * Tools that the message names as `@tool`, in the order of the text, or else the one that a plain intent fits. `turn`
 * makes the call ids differ from turn to turn.
 */
export const chooseTools = (text: string, tools: readonly ToolSpec[], turn: number): readonly ToolChoice[] => {
  const commanded = findCommands(text, tools);
  const chosen = commanded.length > 0 ? commanded : findIntent(text, tools);
  const rest = text
    .replace(/@[\p{L}\p{N}_-]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return chosen.map((tool, index) => ({
    callId: `offline-${turn}-${index}`,
    name: tool.name,
    input: fillInput(tool.inputSchema, rest),
  }));
};

const findCommands = (text: string, tools: readonly ToolSpec[]): ToolSpec[] => {
  const byName = new Map(tools.map((tool) => [plain(tool.name), tool]));
  const named = [...text.matchAll(/(?<![\p{L}\p{N}_@.])@([\p{L}\p{N}_-]+)/gu)].map((match) =>
    byName.get(plain(match[1] ?? "")),
  );
  return [...new Set(named)].filter((tool) => tool !== undefined);
};

const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");

const intents: readonly { readonly tool: RegExp; readonly asks: RegExp }[] = [
  {
    tool: /^(?:now|(?:current|get)?(?:current)?(?:time|date|datetime|clock))$/,
    asks: /what(?:'s|’s| is)? (?:the )?(?:current )?(?:time|date|day)(?: is it| today| now|\W|$)|(?:today'?s|current) (?:date|time)|what day is|wie sp(?:ä|ae)t|uhrzeit|welche[rsn]? (?:tag|datum)|quelle heure|quel jour|qué hora|qué día|che ore|que horas|который час|сколько времени|какое сегодня|几点|幾點|今天(?:是)?(?:几|星期|什么)|何時|何日|몇 시/iu,
  },
];

const findIntent = (text: string, tools: readonly ToolSpec[]): ToolSpec[] => {
  const intent = intents.find((one) => one.asks.test(text));
  if (intent === undefined) return [];
  const tool = tools.find((one) => intent.tool.test(plain(one.name)));
  return tool === undefined ? [] : [tool];
};

/** Required fields only: words go into strings, the rest of a schema gets its plainest value. */
const fillInput = (schema: object, text: string): Record<string, unknown> => {
  const { properties, required } = schema as { properties?: Record<string, Field>; required?: readonly string[] };
  const input: Record<string, unknown> = {};
  for (const name of required ?? []) input[name] = plainest(properties?.[name] ?? {}, text);
  return input;
};

type Field = { readonly type?: unknown; readonly enum?: readonly unknown[]; readonly default?: unknown };

const plainest = (field: Field, text: string): unknown => {
  if (field.default !== undefined) return field.default;
  if (field.enum !== undefined && field.enum.length > 0) return field.enum[0];
  switch (field.type) {
    case "number":
    case "integer":
      return Number(/-?\d+(?:\.\d+)?/.exec(text)?.[0] ?? 1);
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return text;
  }
};
