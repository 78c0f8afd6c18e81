import { z } from "zod";
import type { FileInput, GivenItem } from "./items.ts";
import { toJoinedName } from "./namespaces.ts";
import { CallId, findIssue, isSet, limits, placeSystem, Text, ToolName, type SystemText } from "./parse.ts";

/** Input items of responses and conversations, in the form of both APIs. System text is kept apart. */
type ParsedItem = GivenItem | SystemText;

const TextPart = z.looseObject({ type: z.enum(["input_text", "output_text", "text", "summary_text"]), text: Text });
const RefusalPart = z.looseObject({ type: z.literal("refusal"), refusal: Text });
const address = "expected an address or a data URL; ids of uploaded files are not supported";
const ImagePart = z.looseObject({ type: z.literal("input_image"), image_url: z.string(address).min(1, address) });
const FilePart = z
  .looseObject({
    type: z.literal("input_file"),
    file_data: z.string().min(1).nullish(),
    file_url: z.string().min(1).nullish(),
    filename: z.string().max(300).nullish(),
  })
  .refine((part) => isSet(part.file_data ?? part.file_url), address);

const listOf = <T extends z.ZodType>(part: T) => z.union([Text, z.array(part).max(limits.items)]);
const UserContent = listOf(
  z.discriminatedUnion("type", [TextPart, ImagePart, FilePart], "expected input_text, input_image or input_file"),
);
const PlainContent = listOf(z.discriminatedUnion("type", [TextPart], "expected text")).transform(toText);
const AnswerContent = listOf(
  z.discriminatedUnion("type", [TextPart, RefusalPart], "expected output_text or refusal"),
).transform(toText);
/** A picture could not be sent to a model as the result of a tool. */
const Output = listOf(
  z.discriminatedUnion("type", [TextPart], "expected input_text; send pictures and files in a message"),
).transform(toText);

const UserMessage = z
  .looseObject({ role: z.literal("user"), content: UserContent })
  .transform(({ content }): ParsedItem => ({ role: "user", text: toText(content), files: listFiles(content) }));
const SystemMessage = z
  .looseObject({ role: z.enum(["system", "developer"]), content: PlainContent })
  .transform(({ content }): ParsedItem => ({ role: "system", text: content }));
const AnswerMessage = z
  .looseObject({ role: z.literal("assistant"), content: AnswerContent })
  .transform(({ content }): ParsedItem => ({ role: "assistant", text: content, calls: [] }));
const CallOutput = z
  .looseObject({ call_id: CallId, output: Output })
  .transform(({ call_id: callId, output }): ParsedItem => ({ role: "tool", callId, text: output }));

const ItemReference = z
  .looseObject({ id: z.string().min(1).max(500) })
  .transform(({ id }): ParsedItem => ({ role: "reference", id }));

const toCall = (callId: string, name: string, args: string): ParsedItem => ({
  ...{ role: "assistant", text: "", calls: [{ callId, name, args }] },
});

const ofMessage = (role: unknown): z.ZodType<ParsedItem> => {
  if (role === "system" || role === "developer") return SystemMessage;
  return role === "assistant" ? AnswerMessage : UserMessage;
};

const kinds: Readonly<Record<string, z.ZodType<ParsedItem>>> = {
  function_call: z
    .looseObject({ call_id: CallId, name: ToolName, namespace: ToolName.nullish(), arguments: Text })
    .transform(({ call_id, name, namespace, arguments: args }) =>
      toCall(call_id, isSet(namespace) ? toJoinedName(namespace, name) : name, args),
    ),
  function_call_output: CallOutput,
  custom_tool_call: z
    .looseObject({ call_id: CallId, name: ToolName, input: Text })
    .transform(({ call_id, name, input }) => toCall(call_id, name, JSON.stringify({ input }))),
  custom_tool_call_output: CallOutput,
  item_reference: ItemReference,
};

/** Items of other kinds, such as reasoning or the calls of our own tools, are already in the thread or have no use here. */
const InputItem = z.looseObject({ type: z.string().max(100).nullish() }).transform((item, context): ParsedItem[] => {
  const { type } = item;
  // The package allows a reference without its type.
  const isReference = !isSet(type) && item["role"] === undefined && item["id"] !== undefined;
  const schema = isReference
    ? ItemReference
    : !isSet(type) || type === "message"
      ? ofMessage(item["role"])
      : kinds[type];
  const result = schema?.safeParse(item);
  if (result === undefined) return [];
  if (result.success) return [result.data];
  const { path, message } = findIssue(result.error);
  context.addIssue({ code: "custom", path: [...path], message });
  return z.NEVER;
});

export const InputItems = z
  .array(InputItem)
  .max(limits.items)
  .transform((items) => placeSystem<GivenItem>(items.flat()));

type ContentPart = z.infer<typeof TextPart | typeof RefusalPart | typeof ImagePart | typeof FilePart>;

function toText(content: string | readonly ContentPart[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => ("text" in part ? [part.text] : "refusal" in part ? [part.refusal] : [])).join("\n");
}

const listFiles = (content: z.infer<typeof UserContent>): readonly FileInput[] => {
  if (typeof content === "string") return [];
  return content.flatMap((part): FileInput[] => {
    if (part.type === "input_image") return [{ name: "image", url: part.image_url }];
    if (part.type !== "input_file") return [];
    const { file_data, file_url, filename } = part;
    return [{ name: filename ?? "file", url: file_data ?? file_url ?? "" }];
  });
};
