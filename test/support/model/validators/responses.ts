import { findTwice, isBlank, isPicture, isObjectText, type Json, type Rule, wellFormed, withinSize } from "./rule.ts";

/** Rules of OpenAI's Responses API without server-side storage, for the request body. */
export const goodResponses = (): Json => ({
  model: "gpt-5-mini",
  store: false,
  tools: [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }],
  input: [
    { role: "developer", content: "Be brief." },
    { role: "user", content: [{ type: "input_text", text: "Hi" }] },
    { type: "reasoning", id: "rs_1", encrypted_content: "gAAAA", summary: [] },
    { type: "function_call", call_id: "a", name: "look", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: "one" },
    { role: "user", content: [{ type: "input_text", text: "Go on" }] },
  ],
});

const ofType = (body: Json, type: string): readonly Json[] => body.input.filter((one: Json) => one.type === type);
const isMessage = (item: Json): boolean => item.role !== undefined;

export const responsesRules: readonly Rule[] = [
  wellFormed,
  withinSize,
  {
    name: "ends with something to answer",
    find: ({ input }) => {
      const last = input.at(-1);
      return last?.role === "user" || last?.type === "function_call_output" ? undefined : "it ends with an answer";
    },
    spoil: ({ input }) => input.push({ role: "assistant", content: "So" }),
  },
  {
    name: "instructions come first",
    find: ({ input }) =>
      input.slice(1).some((one: Json) => one.role === "developer" || one.role === "system") ? "they do not" : undefined,
    spoil: ({ input }) => input.push(input.shift()),
  },
  {
    name: "images have data",
    find: ({ input }) =>
      input
        .flatMap(({ content }: Json) => (Array.isArray(content) ? content : []))
        .some(({ type, image_url: url }: Json) => type === "input_image" && !isPicture(url))
        ? "a picture by name"
        : undefined,
    spoil: ({ input }) => input[1].content.push({ type: "input_image", image_url: "cat.png" }),
  },
  {
    name: "no text is blank",
    find: ({ input }) => {
      const texts = input
        .filter(isMessage)
        .flatMap(({ content }: Json) =>
          typeof content === "string"
            ? [content]
            : content.filter(({ type }: Json) => type !== "input_image").map((one: Json) => one.text),
        );
      return texts.length === 0 || texts.some(isBlank) ? "a blank text" : undefined;
    },
    spoil: ({ input }) => void (input[1].content[0].text = ""),
  },
  {
    name: "each call has one output before the next user message, and each output has its call",
    find: ({ input }) => {
      const open = new Set<string>();
      for (const item of input) {
        if (item.type === "function_call") open.add(item.call_id);
        else if (item.type === "function_call_output" && !open.delete(item.call_id)) return `no call ${item.call_id}`;
        else if (item.role === "user" && open.size > 0) return `no output of ${[...open].join()}`;
      }
      return open.size > 0 ? `no output of ${[...open].join()}` : undefined;
    },
    spoil: ({ input }) => input.splice(4, 1),
  },
  {
    name: "call ids are unique and have at most 64 characters",
    find: (body) => {
      const ids = ofType(body, "function_call").map((one) => one.call_id);
      return findTwice(ids) ?? ids.find((id) => id.length === 0 || id.length > 64);
    },
    spoil: ({ input }) => {
      input[3].call_id = input[4].call_id = "x".repeat(65);
    },
  },
  {
    name: "arguments are a JSON object",
    find: (body) => ofType(body, "function_call").find((one) => !isObjectText(one.arguments))?.arguments,
    spoil: ({ input }) => void (input[3].arguments = "[1]"),
  },
  {
    name: "tool names are plain, at most 128, and declared once",
    find: (body) => {
      const declared = (body.tools ?? []).map((one: Json) => one.name);
      const called = ofType(body, "function_call").map((one) => one.name);
      if (declared.length > 128) return `${declared.length} tools`;
      return findTwice(declared) ?? [...declared, ...called].find((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name));
    },
    spoil: ({ input }) => void (input[3].name = ""),
  },
  {
    name: "reasoning is encrypted and followed by its result",
    find: ({ input }) => {
      for (const [at, item] of input.entries()) {
        if (item.type !== "reasoning") continue;
        const next = input[at + 1];
        if (isBlank(item.encrypted_content)) return "not sealed";
        if (!["function_call", "reasoning"].includes(next?.type) && next?.role !== "assistant")
          return "it led to nothing";
      }
      return undefined;
    },
    spoil: ({ input }) => input.splice(3, 2),
  },
  {
    name: "a reasoning item appears once",
    find: (body) => findTwice(ofType(body, "reasoning").flatMap((one) => (one.id === undefined ? [] : [one.id]))),
    spoil: ({ input }) => input.splice(2, 0, input[2]),
  },
];
