import { z } from "zod";
import { ApiError } from "../../../protocol/errors.ts";
import type { ToolChoice } from "../../../protocol/model.ts";
import {
  FunctionFields,
  isSet,
  JsonFormat,
  limits,
  Name,
  OwnTool,
  parseWith,
  sampling,
  Text,
  toCaller,
  toEffort,
  toFormat,
  toFormatInstructions,
  toNamedEffort,
  toSettings,
  toSpec,
  type ParsedRequest,
} from "./parse.ts";
import { listFunctions, listUnsupported, NamespaceTool, toJoinedName } from "./namespaces.ts";
import { InputItems } from "./parse-items.ts";

const Format = z.union([
  z.looseObject({ type: z.enum(["text", "json_object"]) }),
  JsonFormat.extend({ type: z.literal("json_schema") }),
]);
const AllowedTools = z.looseObject({
  type: z.literal("allowed_tools"),
  mode: z.enum(["auto", "required"]),
  tools: z.array(z.looseObject({ type: z.string().max(100), name: z.string().max(200).optional() })).max(limits.tools),
});
const Choice = z.union([
  z.enum(["auto", "none", "required"]),
  z.looseObject({ type: z.literal("function"), name: Name }),
  z.looseObject({ type: z.literal("stonechat"), name: Name }),
  AllowedTools,
  /** Any other kind of tool. `toChoice` ignores those that are not offered. */
  z.looseObject({
    type: z
      .string()
      .max(100)
      .refine((type) => !["function", "stonechat", "allowed_tools"].includes(type)),
  }),
]);
const Tool = z.union([
  FunctionFields.extend({ type: z.literal("function") }),
  OwnTool,
  NamespaceTool,
  /** Tools of other kinds are not offered, except web search. */
  z.looseObject({
    type: z
      .string()
      .max(100)
      .refine((type) => !["function", "stonechat", "namespace"].includes(type)),
  }),
]);

export const ResponseBody = z.looseObject({
  ...sampling,
  input: z.union([Text, InputItems]).nullish(),
  instructions: Text.nullish(),
  background: z.boolean().nullish(),
  previous_response_id: z.string().max(200).nullish(),
  conversation: z.union([z.string().max(200), z.looseObject({ id: z.string().max(200) })]).nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  reasoning: z.looseObject({ effort: z.string().max(40).nullish() }).nullish(),
  text: z.looseObject({ format: Format.nullish() }).nullish(),
  tools: z.array(Tool).max(limits.tools).nullish(),
  tool_choice: Choice.nullish(),
});
type ResponseBody = z.infer<typeof ResponseBody>;

/** Parses the body of `POST /v1/responses`. Unknown fields are ignored. */
export function parseResponses(given: object): ParsedRequest {
  const body = parseWith(ResponseBody, given);
  const { tools, conversation, previous_response_id: previousId } = body;
  const input = body.input ?? { items: [], system: [] };
  if (isSet(conversation) && isSet(previousId))
    throw new ApiError("invalid", "Use either previous_response_id or conversation, not both.");
  const settings = toResponseSettings(body);
  const functions = (tools ?? []).flatMap((tool) => {
    if (tool.type === "namespace") return listFunctions(NamespaceTool.parse(tool));
    return tool.type === "function" ? [FunctionFields.parse(tool)] : [];
  });
  if (functions.length > limits.tools)
    throw new ApiError("invalid", `A request may have at most ${limits.tools} functions.`);
  const { items, system } =
    typeof input === "string" ? { items: [{ role: "user", text: input, files: [] } as const], system: [] } : input;
  return {
    model: body.model,
    items,
    caller: toCaller({
      tools: functions.map(toSpec),
      ownTools: (tools ?? []).flatMap(toOwnTool),
      ...toChoice(body.tool_choice, tools ?? []),
      effort: toEffort(body.reasoning?.effort),
      settings,
    }),
    instructions: body.instructions ?? "",
    system,
    formatInstructions: toFormatInstructions(settings.format),
    stream: body.stream === true,
    includeUsage: true,
    store: body.store ?? undefined,
    background: body.background === true,
    metadata: body.metadata ?? {},
    previousId: previousId ?? undefined,
    conversationId: typeof conversation === "string" ? conversation : conversation?.id,
    echo: toEcho(body),
    unsupported: (tools ?? []).flatMap(toUnsupported),
  };
}

function toUnsupported(tool: NonNullable<ResponseBody["tools"]>[number]): readonly object[] {
  if (tool.type === "namespace") return listUnsupported(NamespaceTool.parse(tool));
  if (tool.type === "function" || toOwnTool(tool).length > 0) return [];
  const { type, name, server_label: label } = tool as Readonly<Record<string, unknown>>;
  const short = (value: unknown) => (typeof value === "string" ? value.slice(0, 200) : undefined);
  return [{ type, name: short(name), server_label: short(label) }];
}

const toOwnTool = (tool: NonNullable<ResponseBody["tools"]>[number]): string[] => {
  if (tool.type === "stonechat") return [String(tool.name)];
  return tool.type.startsWith("web_search") ? ["search_web"] : [];
};

function toResponseSettings(body: ResponseBody) {
  const { max_output_tokens: maxOutputTokens, text } = body;
  const format = text?.format;
  return toSettings(body, {
    ...toNamedEffort(body.reasoning?.effort),
    ...(!isSet(maxOutputTokens) ? {} : { maxOutputTokens }),
    ...(format?.type === "json_schema" ? { format: toFormat(JsonFormat.parse(format)) } : {}),
    ...(format?.type === "json_object" ? { format: {} } : {}),
  });
}

type ChosenTools = { readonly toolChoice: ToolChoice | undefined; readonly allowed: readonly string[] | undefined };

/** Ignores the choice of a tool that is not offered. */
function toChoice(choice: ResponseBody["tool_choice"], tools: NonNullable<ResponseBody["tools"]>): ChosenTools {
  const namespaces = tools.flatMap((tool) => (tool.type === "namespace" ? [NamespaceTool.parse(tool)] : []));
  if (!isSet(choice) || typeof choice === "string") return { toolChoice: choice ?? undefined, allowed: undefined };
  if ("mode" in choice && "tools" in choice) {
    const { mode, tools } = choice as z.infer<typeof AllowedTools>;
    return { toolChoice: mode, allowed: tools.flatMap((tool) => toOfferedNames(tool, namespaces)) };
  }
  const [tool] = toOfferedNames(choice as NamedTool, namespaces);
  return { toolChoice: tool === undefined ? undefined : { tool }, allowed: undefined };
}

type NamedTool = { readonly type: string; readonly name?: string | undefined; readonly namespace?: unknown };

const toOfferedNames = (
  { type, name, namespace }: NamedTool,
  namespaces: readonly z.infer<typeof NamespaceTool>[],
): readonly string[] => {
  if (type === "namespace")
    return namespaces.filter((one) => one.name === name).flatMap((one) => listFunctions(one).map((tool) => tool.name));
  if (type === "function" && typeof namespace === "string" && name !== undefined)
    return [toJoinedName(namespace, name)];
  if (type === "function" || type === "stonechat") return name === undefined ? [] : [name];
  return type.startsWith("web_search") ? ["search_web"] : [];
};

/**
 * The request as a stored response repeats it, with OpenAI's defaults. Stored with the request and repeated in every event, so it has
 * no fields that we do not know, which may contain keys of other servers, and its size is bounded.
 */
const toEcho = (body: ResponseBody): Readonly<Record<string, unknown>> => ({
  instructions: body.instructions?.slice(0, MOST_ECHOED).toWellFormed() ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  temperature: body.temperature ?? 1,
  top_p: body.top_p ?? 1,
  presence_penalty: body.presence_penalty ?? 0,
  frequency_penalty: body.frequency_penalty ?? 0,
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  tool_choice: toEchoedChoice(body.tool_choice),
  tools: toEchoedTools(body.tools ?? []),
  text: { format: toEchoedFormat(body.text?.format) },
  reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
  metadata: body.metadata ?? {},
  background: body.background === true,
  previous_response_id: body.previous_response_id ?? null,
});

const MOST_ECHOED = 100_000;

function toEchoedTools(tools: NonNullable<ResponseBody["tools"]>): readonly object[] {
  const whole = tools.map((tool) => {
    if (tool.type === "function")
      return { type: tool.type, description: null, parameters: null, strict: true, ...FunctionFields.parse(tool) };
    const { type, name, server_label: label } = tool as Readonly<Record<string, unknown>>;
    if (type === "stonechat") return { type, name };
    if (type === "namespace") return NamespaceTool.transform(toEchoedNamespace).parse(tool);
    return { type, ...(typeof label === "string" ? { server_label: label.slice(0, 100) } : {}) };
  });
  if (JSON.stringify(whole).length <= MOST_ECHOED) return whole;
  return whole.map(withoutTexts);
}

const withoutTexts = (tool: object): object => {
  const { tools } = tool as { readonly tools?: readonly object[] };
  if (tools !== undefined) return { ...tool, description: null, tools: tools.map(withoutTexts) };
  return "parameters" in tool ? { ...tool, description: null, parameters: null } : tool;
};

const toEchoedNamespace = ({ tools, ...namespace }: z.infer<typeof NamespaceTool>) => ({
  ...namespace,
  tools: tools.map((tool) =>
    tool.type === "function"
      ? { type: tool.type, description: null, parameters: null, strict: true, ...FunctionFields.parse(tool) }
      : { type: tool.type },
  ),
});

function toEchoedChoice(choice: ResponseBody["tool_choice"]): string | object {
  if (!isSet(choice) || typeof choice === "string") return choice ?? "auto";
  if (choice.type === "function" || choice.type === "stonechat") return { type: choice.type, name: choice.name };
  if (choice.type !== "allowed_tools") return { type: choice.type };
  const { type, mode, tools } = choice as z.infer<typeof AllowedTools>;
  return { type, mode, tools: tools.map((tool) => ({ type: tool.type, ...(tool.name ? { name: tool.name } : {}) })) };
}

function toEchoedFormat(format: NonNullable<ResponseBody["text"]>["format"]): object {
  if (format?.type !== "json_schema") return { type: format?.type ?? "text" };
  return { type: format.type, ...JsonFormat.parse(format) };
}
