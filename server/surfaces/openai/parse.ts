import { z } from "zod";
import { ApiError } from "../../../protocol/errors.ts";
import type { CallSettings, Effort, ToolChoice, ToolSpec } from "../../../protocol/model.ts";
import type { CallerRequest } from "../../thread/rows.ts";
import type { GivenItem, UserItem } from "./items.ts";

/** A request of either API. `echo`: fields that a stored response repeats. */
export type ParsedRequest = {
  readonly model: string;
  readonly items: readonly GivenItem[];
  /** Without system text, which depends on the conversation. */
  readonly caller: CallerRequest;
  /** For this request only. */
  readonly instructions: string;
  /** System text that belongs to the conversation. */
  readonly system: readonly string[];
  readonly formatInstructions: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly store: boolean | undefined;
  readonly background: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly previousId: string | undefined;
  readonly conversationId: string | undefined;
  readonly echo: Readonly<Record<string, unknown>>;
  /** Tools of kinds that Stonechat cannot offer to any model. */
  readonly unsupported: readonly object[];
};

export type SystemText = { readonly role: "system"; readonly text: string };

/**
 * System text before the first message of a request is sent as such. A thread has no later one, and many providers allow none:
 * it keeps its position as a marked message of the user. Nothing may come between a call and its result.
 */
export function placeSystem<T extends { readonly role: string }>(
  given: readonly (T | SystemText)[],
): { readonly items: readonly (T | UserItem)[]; readonly system: readonly string[] } {
  const isSystem = (item: T | SystemText): item is SystemText => item.role === "system";
  const first = given.findIndex((item) => !isSystem(item));
  const leading = given.slice(0, first < 0 ? given.length : first).filter(isSystem);
  const items: (T | UserItem)[] = [];
  const waiting: UserItem[] = [];
  for (const item of given.slice(leading.length)) {
    if (isSystem(item)) {
      const text = `<system_message>\n${item.text}\n</system_message>`;
      if (item.text !== "") waiting.push({ role: "user", text, files: [] });
      continue;
    }
    if (item.role !== "tool") items.push(...waiting.splice(0));
    items.push(item);
  }
  return { items: [...items, ...waiting], system: leading.map(({ text }) => text) };
}

export const limits = { items: 2_000, tools: 128, schemaCharacters: 100_000, textCharacters: 1_000_000 } as const;

export const isSet = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** Text that every database and provider accepts. */
export const Text = z
  .string()
  .max(limits.textCharacters)
  .transform((text) => text.replaceAll("\0", "\uFFFD").toWellFormed());
export const Name = z.string().regex(/^[\w.-]{1,128}$/, "expected a name of letters, digits, _, . or -");
/** Tool name of a call in a history, as a model wrote it. */
export const ToolName = Text.pipe(z.string().min(1).max(200));
export const Metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((metadata) => Object.keys(metadata).length <= 16, "expected at most 16 fields")
  .nullish();
export const CallId = Text.pipe(z.string().min(1).max(200));

export const FunctionFields = z.object({
  name: Name,
  description: Text.nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});
export const OwnTool = z.object({ type: z.literal("stonechat"), name: Name });

export const JsonFormat = z.object({
  name: z.string().max(200).nullish(),
  description: Text.nullish(),
  schema: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

/** Fields that both APIs have, or that differ only in their name. */
export const sampling = {
  model: z.string().min(1).max(240),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  metadata: Metadata,
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
};

type Sampling = {
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
  readonly presence_penalty?: number | null | undefined;
  readonly frequency_penalty?: number | null | undefined;
  readonly parallel_tool_calls?: boolean | null | undefined;
};

export function toSettings(body: Sampling, more: CallSettings): CallSettings {
  const { temperature, top_p: topP, presence_penalty, frequency_penalty, parallel_tool_calls } = body;
  return {
    ...(!isSet(temperature) ? {} : { temperature }),
    ...(!isSet(topP) ? {} : { topP }),
    ...(!isSet(presence_penalty) ? {} : { presencePenalty: presence_penalty }),
    ...(!isSet(frequency_penalty) ? {} : { frequencyPenalty: frequency_penalty }),
    ...(!isSet(parallel_tool_calls) ? {} : { parallelToolCalls: parallel_tool_calls }),
    ...more,
  };
}

export function toFormat(format: z.infer<typeof JsonFormat>): NonNullable<CallSettings["format"]> {
  const { name, description, schema } = format;
  checkSchemaSize(schema);
  return {
    ...(!isSet(name) ? {} : { name }),
    ...(!isSet(description) ? {} : { description }),
    ...(!isSet(schema) ? {} : { schema }),
  };
}

export function toSpec({ name, description, parameters }: z.infer<typeof FunctionFields>): ToolSpec {
  checkSchemaSize(parameters);
  return { name, description: description ?? "", inputSchema: parameters ?? { type: "object", properties: {} } };
}

function checkSchemaSize(schema: object | null | undefined): void {
  if (isSet(schema) && JSON.stringify(schema).length > limits.schemaCharacters)
    throw new ApiError(
      "invalid",
      `A schema may have at most ${limits.schemaCharacters.toLocaleString("en")} characters.`,
    );
}

type CallerOptions = {
  readonly tools: readonly ToolSpec[];
  readonly ownTools: readonly string[];
  readonly toolChoice: ToolChoice | undefined;
  /** Names of the only tools that may be used; undefined: all. */
  readonly allowed: readonly string[] | undefined;
  readonly effort: Effort | undefined;
  readonly settings: CallSettings;
};

export function toCaller({ toolChoice, allowed, effort, settings, ...given }: CallerOptions): CallerRequest {
  const names = new Set(given.tools.map(({ name }) => name));
  if (names.size < given.tools.length) throw new ApiError("invalid", "Two tools have the same name.");
  if (typeof toolChoice === "object" && !names.has(toolChoice.tool) && !given.ownTools.includes(toolChoice.tool))
    throw new ApiError("invalid", `The tool "${toolChoice.tool}" of tool_choice is not in "tools".`);
  const isAllowed = (name: string): boolean => allowed === undefined || allowed.includes(name);
  const tools = given.tools.filter(({ name }) => isAllowed(name));
  const ownTools = given.ownTools.filter(isAllowed);
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(ownTools.length === 0 ? {} : { ownTools }),
    ...(toolChoice === undefined || tools.length + ownTools.length === 0 ? {} : { toolChoice }),
    ...(effort === undefined ? {} : { effort }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}

/** Maps OpenAI's effort levels to Stonechat's. Unknown levels are ignored, because new ones are added often. */
export const toEffort = (level: string | null | undefined): Effort | undefined => efforts[level ?? ""];
/** As it was sent, for model servers that have their own levels. */
export const toNamedEffort = (level: string | null | undefined): Pick<CallSettings, "reasoningEffort"> =>
  isSet(level) && /^[\w-]+$/.test(level) ? { reasoningEffort: level } : {};
const efforts: Readonly<Record<string, Effort>> = {
  none: "none",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

export function parseWith<T>(schema: z.ZodType<T>, body: object): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const { path, message } = findIssue(result.error);
  const field = path.length === 0 ? "The body" : `"${path.map(String).join(".")}"`;
  throw new ApiError("invalid", `${field} is not valid: ${message}`.slice(0, 300));
}

type Issue = Pick<z.core.$ZodIssue, "path" | "message">;

/** The first issue. Of a union's alternatives, the one that fits best: its issue is deepest in the body. */
export const findIssue = ({ issues: [issue] }: z.ZodError): Issue =>
  issue === undefined ? { path: [], message: "unknown" } : toDeepest(issue);

function toDeepest(issue: z.core.$ZodIssue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const inner = issue.errors.flatMap(([first]) => (first === undefined ? [] : [toDeepest(first)]));
  const [best] = inner.toSorted((a, b) => b.path.length - a.path.length);
  if (best === undefined || best.path.length === 0) return issue;
  return { path: [...issue.path, ...best.path], message: best.message };
}

/** Sent to every model, because many do not take the format as a setting. */
export const toFormatInstructions = (format: CallSettings["format"]): string => {
  if (format === undefined) return "";
  const rule = "Answer with a JSON object only, without any other text and without Markdown.";
  return format.schema === undefined
    ? rule
    : `${rule} It must match this JSON Schema:\n${JSON.stringify(format.schema)}`;
};

/** System text of a conversation with that of a request. */
export function toSystem({ system, added }: { readonly system: readonly string[]; readonly added: readonly string[] }) {
  const all = [...system, ...added.filter((text) => text !== "")];
  if (all.reduce((sum, { length }) => sum + length, 0) <= limits.textCharacters) return all;
  const most = limits.textCharacters.toLocaleString("en");
  throw new ApiError("invalid", `The system text of a conversation may have at most ${most} characters.`);
}

/** A field that names the tools of a request which were not offered to the model. */
export const toUnsupported = ({ unsupported }: Pick<ParsedRequest, "unsupported">) =>
  unsupported.length === 0 ? {} : { unsupported_tools: unsupported };
