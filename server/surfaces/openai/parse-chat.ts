import { z } from "zod";
import { ApiError } from "../../../protocol/errors.ts";
import type { ToolChoice } from "../../../protocol/model.ts";
import type { Item, ToolCall, UserItem } from "./items.ts";
import {
  CallId,
  FunctionFields,
  isSet,
  JsonFormat,
  limits,
  Name,
  OwnTool,
  parseWith,
  placeSystem,
  sampling,
  Text,
  ToolName,
  toCaller,
  toEffort,
  toFormat,
  toFormatInstructions,
  toNamedEffort,
  toSettings,
  toSpec,
  type ParsedRequest,
  type SystemText,
} from "./parse.ts";

const Url = z.string().min(1);
/** Fields that are null in Stonechat's answers may be null here too, because programs send answers back unchanged. */
const TextPart = z.looseObject({ type: z.enum(["text", "refusal"]), text: Text.nullish(), refusal: Text.nullish() });
const UserPart = z.union([
  TextPart,
  z.looseObject({ type: z.literal("image_url"), image_url: z.looseObject({ url: Url }) }),
  z.looseObject({
    type: z.literal("file"),
    file: z.looseObject({ file_data: Url.nullish(), filename: z.string().max(300).nullish() }),
  }),
]);
const Content = z.union([Text, z.array(TextPart).max(limits.items)]);

const Message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.enum(["system", "developer"]), content: Content }),
  z.looseObject({
    role: z.literal("user"),
    content: z.union([Text, z.array(UserPart).max(limits.items)]),
    name: Text.nullish(),
  }),
  z.looseObject({
    role: z.literal("assistant"),
    content: Content.nullish(),
    refusal: Text.nullish(),
    tool_calls: z
      .array(
        z.union([
          z.looseObject({ id: CallId, function: z.looseObject({ name: ToolName, arguments: Text }) }),
          z.looseObject({ id: CallId, custom: z.looseObject({ name: ToolName, input: Text }) }),
        ]),
      )
      .max(limits.items)
      .nullish(),
  }),
  z.looseObject({ role: z.literal("tool"), tool_call_id: CallId, content: Content }),
]);

/** Its input is free text, which other models do not write. */
const CustomTool = z.looseObject({
  type: z.literal("custom"),
  custom: z.looseObject({ name: z.string().max(200).optional() }).optional(),
});

const Choice = z.union([
  z.enum(["auto", "none", "required"]),
  z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: Name }) }),
  z.looseObject({
    type: z.literal("allowed_tools"),
    allowed_tools: z.looseObject({
      mode: z.enum(["auto", "required"]),
      tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string().max(200) }).optional() })),
    }),
  }),
  /** Custom tools are not offered, so they cannot be chosen. */
  z.looseObject({ type: z.literal("custom") }),
]);

export const ChatBody = z.looseObject({
  ...sampling,
  messages: z.array(Message).min(1).max(limits.items),
  n: z.literal(1, "only one choice is supported").nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  reasoning_effort: z.string().max(40).nullish(),
  tools: z
    .array(z.union([z.looseObject({ type: z.literal("function"), function: FunctionFields }), OwnTool, CustomTool]))
    .max(limits.tools)
    .nullish(),
  tool_choice: Choice.nullish(),
  response_format: z
    .union([
      z.looseObject({ type: z.literal("text") }),
      // The schema is not in OpenAI's API, but other servers take it, and Instructor sends it.
      z.looseObject({ type: z.literal("json_object"), schema: JsonFormat.shape.schema }),
      z.looseObject({ type: z.literal("json_schema"), json_schema: JsonFormat }),
    ])
    .nullish(),
});
type ChatBody = z.infer<typeof ChatBody>;

/** Parses the body of `POST /v1/chat/completions`. Unknown fields are ignored. */
export function parseChat(given: object): ParsedRequest {
  const body = parseWith(ChatBody, given);
  const { tools, messages } = body;
  if (isSet(body["functions"]) || isSet(body["function_call"]))
    throw new ApiError("invalid", '"functions" and "function_call" are not supported. Use "tools" and "tool_choice".');
  const settings = toChatSettings(body);
  const { items, system } = placeSystem(messages.map(toItem));
  // Some programs send their only message as the system's.
  const isSystemOnly = items.length === 0;
  return {
    model: body.model,
    items: isSystemOnly ? [{ role: "user", text: system.join("\n\n"), files: [] }] : items,
    caller: toCaller({
      tools: (tools ?? []).flatMap((tool) => (tool.type === "function" ? [toSpec(tool.function)] : [])),
      ownTools: (tools ?? []).flatMap((tool) => (tool.type === "stonechat" ? [tool.name] : [])),
      ...toChoice(body.tool_choice),
      effort: toEffort(body.reasoning_effort),
      settings,
    }),
    // The caller sends it again with every request.
    instructions: isSystemOnly ? "" : system.filter((text) => text !== "").join("\n\n"),
    system: [],
    formatInstructions: toFormatInstructions(settings.format),
    stream: body.stream === true,
    includeUsage: body.stream_options?.include_usage === true,
    store: body.store ?? undefined,
    background: false,
    metadata: body.metadata ?? {},
    previousId: undefined,
    conversationId: undefined,
    echo: {},
    unsupported: (tools ?? []).flatMap((tool) => (tool.type === "custom" ? [toUnsupported(tool)] : [])),
  };
}

function toChatSettings(body: ChatBody) {
  const { seed, stop, response_format: format } = body;
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  return toSettings(body, {
    ...toNamedEffort(body.reasoning_effort),
    ...(!isSet(seed) ? {} : { seed }),
    ...(!isSet(stop) ? {} : { stop: typeof stop === "string" ? [stop] : stop }),
    ...(!isSet(maxOutputTokens) ? {} : { maxOutputTokens }),
    ...(format?.type === "json_schema" ? { format: toFormat(format.json_schema as z.infer<typeof JsonFormat>) } : {}),
    ...(format?.type === "json_object" ? { format: toFormat({ schema: format.schema as Schema }) } : {}),
  });
}

type Schema = z.infer<typeof JsonFormat>["schema"];
type ChosenTools = { readonly toolChoice: ToolChoice | undefined; readonly allowed: readonly string[] | undefined };

function toChoice(choice: ChatBody["tool_choice"]): ChosenTools {
  if (!isSet(choice) || typeof choice === "string") return { toolChoice: choice ?? undefined, allowed: undefined };
  if (choice.type === "function") return { toolChoice: { tool: choice.function.name }, allowed: undefined };
  if (choice.type === "custom") return { toolChoice: undefined, allowed: undefined };
  const { mode, tools } = choice.allowed_tools;
  return { toolChoice: mode, allowed: tools.flatMap((tool) => (tool.function ? [tool.function.name] : [])) };
}

const toUnsupported = ({ type, custom }: z.infer<typeof CustomTool>) => ({
  ...{ type, ...(custom?.name === undefined ? {} : { name: custom.name }) },
});

const toText = (content: z.infer<typeof Content> | null | undefined): string => {
  if (!isSet(content) || typeof content === "string") return content ?? "";
  return content.map(({ text, refusal }) => text ?? refusal ?? "").join("\n");
};

function toItem(message: ChatBody["messages"][number]): Item | SystemText {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", text: toText(message.content) };
    case "user": {
      const { text, files } = toUser(message.content);
      return { role: "user", text: isSet(message.name) ? `${message.name}: ${text}` : text, files };
    }
    case "assistant": {
      const calls = (message.tool_calls ?? []).map(toCall);
      return { role: "assistant", text: toText(message.content) || (message.refusal ?? ""), calls };
    }
    case "tool":
      return { role: "tool", callId: message.tool_call_id, text: toText(message.content) };
  }
}

type GivenCall = NonNullable<Extract<ChatBody["messages"][number], { role: "assistant" }>["tool_calls"]>[number];

function toCall(given: GivenCall): ToolCall {
  const {
    id: callId,
    function: called,
    custom,
  } = given as {
    readonly id: string;
    readonly function?: { readonly name: string; readonly arguments: string };
    readonly custom?: { readonly name: string; readonly input: string };
  };
  if (called) return { callId, name: called.name, args: called.arguments };
  return { callId, name: custom?.name ?? "", args: JSON.stringify({ input: custom?.input ?? "" }) };
}

function toUser(content: Extract<ChatBody["messages"][number], { role: "user" }>["content"]): UserItem {
  if (typeof content === "string") return { role: "user", text: content, files: [] };
  const texts = content.flatMap((part) => (part.type === "text" ? [String(part.text ?? "")] : []));
  const files = content.flatMap((part) => {
    if (part.type === "image_url") return [{ name: "image", url: (part.image_url as { url: string }).url }];
    if (part.type !== "file") return [];
    const { file_data: url, filename } = part.file as { file_data?: string | null; filename?: string | null };
    if (!isSet(url)) throw new ApiError("invalid", "Send files as file_data. Uploaded file ids are not supported.");
    return [{ name: filename ?? "file", url }];
  });
  return { role: "user", text: texts.join("\n"), files };
}
