import { findTwice, isBlank, isPicture, isObject, type Json, type Rule, wellFormed, withinSize } from "./rule.ts";

/** Rules of Google's generateContent for the request body. */
export const goodGoogle = (): Json => ({
  systemInstruction: { parts: [{ text: "Be brief." }] },
  tools: [{ functionDeclarations: [{ name: "look", parameters: { type: "object", properties: {} } }] }],
  contents: [
    { role: "user", parts: [{ text: "Hi" }] },
    {
      role: "model",
      parts: [
        { functionCall: { id: "a", name: "look", args: {} }, thoughtSignature: "c2ln" },
        { functionCall: { id: "b", name: "look", args: {} } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "a", name: "look", response: { content: "one" } } },
        { functionResponse: { id: "b", name: "look", response: { content: "two" } } },
      ],
    },
    { role: "user", parts: [{ text: "Go on" }] },
  ],
});

const callsOf = ({ parts }: Json): readonly Json[] => parts.flatMap((one: Json) => one.functionCall ?? []);
const responsesOf = ({ parts }: Json): readonly Json[] => parts.flatMap((one: Json) => one.functionResponse ?? []);
const write = (all: readonly Json[]): string => all.map(({ id, name }) => `${id} ${name}`).join();

export const googleRules: readonly Rule[] = [
  { ...wellFormed, spoil: (body) => void (body.contents[0].parts[0].text = "a\ud83e") },
  withinSize,
  {
    name: "starts with the user and ends with something to answer",
    find: ({ contents }) =>
      contents[0]?.role === "user" && contents.at(-1).role === "user" ? undefined : "it does not",
    spoil: ({ contents }) => contents.push({ role: "model", parts: [{ text: "So" }] }),
  },
  {
    name: "roles alternate, except for text after results",
    find: ({ contents }) =>
      contents.some((one: Json, at: number) => {
        const before = contents[at - 1];
        return one.role === before?.role && !(one.role === "user" && responsesOf(before).length > 0);
      })
        ? "two of one role"
        : undefined,
    spoil: ({ contents }) => contents.push({ role: "user", parts: [{ text: "More" }] }),
  },
  {
    name: "images have data and a type",
    find: ({ contents }) =>
      contents
        .flatMap(({ parts }: Json) => parts)
        .some(({ inlineData: one }: Json) => one && !isPicture(`data:${one.mimeType};base64,${one.data}`))
        ? "a picture without them"
        : undefined,
    spoil: ({ contents }) => contents[0].parts.push({ inlineData: { data: "aGk=" } }),
  },
  {
    name: "no parts are missing and no text is blank",
    find: ({ contents, systemInstruction: system }) => {
      const all = system === undefined ? contents : [system, ...contents];
      if (all.some((one: Json) => one.parts.length === 0)) return "no parts";
      return all.some((one: Json) =>
        one.parts.some((part: Json) => "text" in part && isBlank(part.text) && part.thoughtSignature === undefined),
      )
        ? "a blank text"
        : undefined;
    },
    spoil: ({ contents }) => void (contents[0].parts[0].text = " "),
  },
  {
    name: "calls are answered at once, each by its response, and by nothing else",
    find: ({ contents }) => {
      for (const [at, content] of contents.entries()) {
        const calls = callsOf(content);
        const next = contents[at + 1];
        const responses = next === undefined ? [] : responsesOf(next);
        if (write(calls) !== write(responses)) return `${write(calls)} got ${write(responses)}`;
        if (responses.length > 0 && responses.length < next.parts.length) return "words among the responses";
      }
      return responsesOf(contents[0]).length > 0 ? "a response before any call" : undefined;
    },
    spoil: ({ contents }) => contents[2].parts.pop(),
  },
  {
    name: "call ids are unique",
    find: ({ contents }) => findTwice(contents.flatMap(callsOf).flatMap((one: Json) => one.id ?? [])),
    spoil: ({ contents }) => {
      contents[1].parts[1].functionCall.id = contents[2].parts[1].functionResponse.id = "a";
    },
  },
  {
    name: "function names are plain and declared once",
    find: ({ contents, tools }) => {
      const declared = (tools ?? []).flatMap((one: Json) => one.functionDeclarations.map(({ name }: Json) => name));
      const called = contents.flatMap(callsOf).map((one: Json) => one.name);
      return (
        findTwice(declared) ?? [...declared, ...called].find((name) => !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name))
      );
    },
    spoil: ({ contents }) => {
      contents[1].parts[0].functionCall.name = contents[2].parts[0].functionResponse.name = "9lives";
    },
  },
  {
    name: "arguments and responses are objects",
    find: ({ contents }) => {
      if (contents.flatMap(callsOf).some((one: Json) => !isObject(one.args))) return "arguments";
      return contents.flatMap(responsesOf).some((one: Json) => !isObject(one.response)) ? "a response" : undefined;
    },
    spoil: ({ contents }) => void (contents[1].parts[0].functionCall.args = [1]),
  },
  {
    name: "Gemini 3: the first call of an answer is signed",
    find: ({ contents }) =>
      contents.some(({ parts }: Json) => {
        const [first] = parts.filter((one: Json) => one.functionCall !== undefined);
        return first !== undefined && isBlank(first.thoughtSignature);
      })
        ? "unsigned"
        : undefined,
    spoil: ({ contents }) => delete contents[1].parts[0].thoughtSignature,
  },
];
