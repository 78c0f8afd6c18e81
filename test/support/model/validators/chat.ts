import { findTwice, isBlank, isPicture, isObjectText, type Json, type Rule, wellFormed, withinSize } from "./rule.ts";

/**
 * Rules of chat completions, as strict as the strictest implementation: OpenRouter and any OpenAI-compatible address.
 */
export const goodChat = (): Json => ({
  model: "qwen3:8b",
  tools: [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }],
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "aaaaaaaa1", type: "function", function: { name: "look", arguments: "{}" } },
        { id: "aaaaaaaa2", type: "function", function: { name: "look", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "aaaaaaaa1", content: "one" },
    { role: "tool", tool_call_id: "aaaaaaaa2", content: "two" },
    { role: "assistant", content: "So it is." },
    { role: "user", content: "Go on" },
  ],
});

const callsOf = (body: Json): readonly Json[] => body.messages.flatMap((one: Json) => one.tool_calls ?? []);
const textsOf = ({ content }: Json): readonly unknown[] =>
  Array.isArray(content)
    ? content.filter(({ type }: Json) => type !== "image_url").map((one: Json) => one.text)
    : [content];

export const chatRules: readonly Rule[] = [
  wellFormed,
  withinSize,
  {
    name: "the system message comes first and only once",
    find: ({ messages }) => (messages.slice(1).some((one: Json) => one.role === "system") ? "later" : undefined),
    spoil: ({ messages }) => messages.push(messages.shift()),
  },
  {
    name: "starts with the user and ends with something to answer",
    find: ({ messages }) => {
      const [first] = messages.filter((one: Json) => one.role !== "system");
      return first?.role === "user" && ["user", "tool"].includes(messages.at(-1).role) ? undefined : "it does not";
    },
    spoil: ({ messages }) => messages.pop(),
  },
  {
    name: "roles alternate",
    find: ({ messages }) =>
      messages.some((one: Json, at: number) => one.role !== "tool" && one.role === messages[at - 1]?.role)
        ? "two of one role"
        : undefined,
    spoil: ({ messages }) => messages.push({ role: "user", content: "More" }),
  },
  {
    name: "nothing is blank",
    find: ({ messages }) => {
      for (const message of messages) {
        if (message.role === "assistant" && message.content === null && message.tool_calls?.length > 0) continue;
        const texts = textsOf(message);
        if (texts.length === 0 || texts.some(isBlank)) return `a blank ${message.role} message`;
      }
      return undefined;
    },
    spoil: ({ messages }) => void (messages[1].content = ""),
  },
  {
    name: "images have data",
    find: ({ messages }) =>
      messages
        .flatMap(({ content }: Json) => (Array.isArray(content) ? content : []))
        .some(({ type, image_url: image }: Json) => type === "image_url" && !isPicture(image?.url))
        ? "a picture by name"
        : undefined,
    spoil: ({ messages }) =>
      void (messages[1].content = [
        { type: "text", text: "Hi" },
        { type: "image_url", image_url: { url: "cat.png" } },
      ]),
  },
  {
    name: "each call has one tool message right after it, and there are no other tool messages",
    find: ({ messages }) => {
      for (const [at, { role, tool_calls: calls }] of messages.entries()) {
        if (role === "tool" && !["tool", "assistant"].includes(messages[at - 1]?.role))
          return "a result without a call";
        if (role !== "assistant") continue;
        const after = messages.slice(at + 1);
        const end = after.findIndex((one: Json) => one.role !== "tool");
        const ids = after.slice(0, end < 0 ? after.length : end).map((one: Json) => one.tool_call_id);
        const called = (calls ?? []).map((one: Json) => one.id);
        if (called.toSorted().join() !== ids.toSorted().join()) return `${called.join()} got ${ids.join()}`;
      }
      return undefined;
    },
    spoil: ({ messages }) => messages.splice(3, 1),
  },
  {
    name: "call ids are unique and have at most 64 characters",
    find: (body) => {
      const ids = callsOf(body).map((one) => one.id);
      return findTwice(ids) ?? ids.find((id) => id.length === 0 || id.length > 64);
    },
    spoil: ({ messages }) => {
      messages[2].tool_calls[1].id = messages[4].tool_call_id = "aaaaaaaa1";
    },
  },
  {
    name: "arguments are a JSON object",
    find: (body) => callsOf(body).find((one) => !isObjectText(one.function.arguments))?.function.arguments,
    spoil: ({ messages }) => void (messages[2].tool_calls[0].function.arguments = '"text"'),
  },
  {
    name: "tool names are plain, at most 128, and declared once",
    find: (body) => {
      const declared = (body.tools ?? []).map((one: Json) => one.function.name);
      if (declared.length > 128) return `${declared.length} tools`;
      const called = callsOf(body).map((one) => one.function.name);
      return findTwice(declared) ?? [...declared, ...called].find((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name));
    },
    spoil: (body) => body.tools.push(body.tools[0]),
  },
  {
    name: "cache marks are sent only to Anthropic's models, at most four",
    find: (body) => {
      const marks = JSON.stringify(body).match(/"cache_control":\{/g)?.length ?? 0;
      return marks > (body.model.startsWith("anthropic/") ? 4 : 0) ? `${marks} marks` : undefined;
    },
    spoil: ({ messages }) => void (messages[1].cache_control = { type: "ephemeral" }),
  },
];

/** Rules of Mistral, in addition to those above. */
export const mistralRules: readonly Rule[] = [
  {
    name: "Mistral: call ids have nine letters and digits",
    find: (body) => callsOf(body).find((one) => !/^[a-zA-Z0-9]{9}$/.test(one.id))?.id,
    spoil: ({ messages }) => {
      messages[2].tool_calls[0].id = messages[3].tool_call_id = "call_1";
    },
  },
  {
    name: "Mistral: no user message right after a tool message",
    find: ({ messages }) =>
      messages.some((one: Json, at: number) => one.role === "user" && messages[at - 1]?.role === "tool")
        ? "it does"
        : undefined,
    spoil: ({ messages }) => messages.splice(5, 1),
  },
];

/** Rules of DeepSeek and Kimi: a call is sent back with its reasoning, even if that is empty. */
export const reasoningRules: readonly Rule[] = [
  {
    name: "DeepSeek, Kimi: calls are sent back with their reasoning",
    find: ({ messages }) =>
      messages.some(
        (one: Json) =>
          one.tool_calls?.length > 0 &&
          typeof one.reasoning_content !== "string" &&
          !Array.isArray(one.reasoning_details),
      )
        ? "a call without"
        : undefined,
    spoil: ({ messages }) => delete messages[2].reasoning_content,
  },
];
