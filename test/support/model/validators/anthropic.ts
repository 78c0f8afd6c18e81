import { findTwice, isBlank, isPicture, isObject, type Json, type Rule, wellFormed, withinSize } from "./rule.ts";

/** Rules of Anthropic's Messages API for the request body. */
const mark = { type: "ephemeral" };

export const goodAnthropic = (): Json => ({
  model: "claude-haiku-4-5",
  max_tokens: 100,
  system: [{ type: "text", text: "Be brief.", cache_control: mark }],
  tools: [{ name: "look", description: "Looks.", input_schema: { type: "object", properties: {} } }],
  messages: [
    { role: "user", content: [{ type: "text", text: "Hi" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "tool_use", id: "a", name: "look", input: {} },
        { type: "tool_use", id: "b", name: "look", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "one" },
        { type: "tool_result", tool_use_id: "b", content: "two" },
        { type: "text", text: "Go on" },
      ],
    },
  ],
});

const blocksOf = (body: Json): readonly Json[] => body.messages.flatMap((message: Json) => message.content);
const marksOf = (body: Json): readonly Json[] =>
  [...(body.system ?? []), ...(body.tools ?? []), ...blocksOf(body)].filter((one) => one.cache_control !== undefined);
const ofType = (content: readonly Json[], type: string): readonly Json[] => content.filter((one) => one.type === type);

export const anthropicRules: readonly Rule[] = [
  wellFormed,
  withinSize,
  {
    name: "starts with the user and ends with something to answer",
    find: ({ messages }) =>
      messages[0]?.role === "user" && messages.at(-1).role === "user" ? undefined : "it does not",
    spoil: ({ messages }) => messages.push({ role: "assistant", content: [{ type: "text", text: "So" }] }),
  },
  {
    name: "roles alternate",
    find: ({ messages }) =>
      messages.find((one: Json, at: number) => one.role === messages[at - 1]?.role) && "two of one role",
    spoil: ({ messages }) => messages.unshift({ role: "user", content: [{ type: "text", text: "So" }] }),
  },
  {
    name: "images have data and a type",
    find: (body) =>
      ofType(blocksOf(body), "image").some(
        ({ source }) => !isPicture(`data:${source?.media_type};base64,${source?.data}`),
      )
        ? "a picture without them"
        : undefined,
    spoil: ({ messages }) => messages[0].content.push({ type: "image", source: { type: "base64", data: "aGk=" } }),
  },
  {
    name: "no content is empty and no text is blank",
    find: (body) => {
      if (body.messages.some((one: Json) => !Array.isArray(one.content) || one.content.length === 0))
        return "no content";
      const texts = [...(body.system ?? []), ...ofType(blocksOf(body), "text")];
      return texts.some((one) => isBlank(one.text)) ? "a blank text" : undefined;
    },
    spoil: (body) => void (body.messages[0].content[0].text = " "),
  },
  {
    name: "each tool_use has its tool_result at the start of the next message, and there are no other results",
    find: ({ messages }) => {
      for (const [at, { content }] of messages.entries()) {
        const ids = ofType(content, "tool_use").map((one) => one.id);
        const next = messages[at + 1]?.content ?? [];
        const results = ofType(next, "tool_result").map((one) => one.tool_use_id);
        if (ids.toSorted().join() !== results.toSorted().join()) return `${ids.join()} got ${results.join()}`;
        if (next.slice(0, results.length).some((one: Json) => one.type !== "tool_result")) return "not at the front";
      }
      return ofType(messages[0].content, "tool_result").length > 0 ? "a result before any call" : undefined;
    },
    spoil: ({ messages }) => messages[2].content.splice(1, 1),
  },
  {
    name: "call ids are unique and plain",
    find: (body) => {
      const ids = ofType(blocksOf(body), "tool_use").map((one) => one.id);
      return findTwice(ids) ?? ids.find((id) => !/^[a-zA-Z0-9_-]+$/.test(id));
    },
    spoil: (body) => {
      body.messages[1].content[2].id = "a";
      body.messages[2].content[1].tool_use_id = "a";
    },
  },
  {
    name: "tool names are plain and declared once",
    find: (body) => {
      const declared = (body.tools ?? []).map((one: Json) => one.name);
      const called = ofType(blocksOf(body), "tool_use").map((one) => one.name);
      return findTwice(declared) ?? [...declared, ...called].find((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name));
    },
    spoil: (body) => void (body.messages[1].content[1].name = "launch rocket"),
  },
  {
    name: "input and schemas are objects",
    find: (body) => {
      if (ofType(blocksOf(body), "tool_use").some((one) => !isObject(one.input))) return "an input";
      return (body.tools ?? []).some((one: Json) => one.input_schema?.type !== "object") ? "a schema" : undefined;
    },
    spoil: (body) => void (body.messages[1].content[1].input = "text"),
  },
  {
    name: "thinking is signed and followed by content",
    find: ({ messages }) => {
      for (const { content } of messages) {
        if (ofType(content, "thinking").some((one) => isBlank(one.signature))) return "unsigned";
        if (/thinking/.test(content.at(-1)?.type)) return "it comes last";
      }
      return undefined;
    },
    spoil: ({ messages }) => delete messages[1].content[0].signature,
  },
  {
    name: "at most four cache marks, none on thinking or empty content",
    find: (body) => {
      const marks = marksOf(body);
      if (marks.length > 4) return `${marks.length} marks`;
      return marks.find((one) => /thinking/.test(one.type) || one.text === "") && "on what cannot have one";
    },
    spoil: ({ messages }) => {
      for (const one of [...messages[2].content, messages[1].content[1]]) one.cache_control = mark;
    },
  },
  {
    name: "the answer length is limited",
    find: (body) => (body.max_tokens > 0 ? undefined : String(body.max_tokens)),
    spoil: (body) => delete body.max_tokens,
  },
];
