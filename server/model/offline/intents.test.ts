import { describe, expect, test } from "vitest";
import type { ToolSpec } from "../../../protocol/model.ts";
import { findIntent } from "./answer.ts";

const names = ["calculate", "now", "read_artifact", "scrape_webpage", "search_web", "weather", "working_memory"];
const tools: readonly ToolSpec[] = names.map((name) => ({ name, description: "", inputSchema: {} }));
const known = new Map([
  ["name", "Ann"],
  ["notes", "I like tea\nThe door is red"],
]);

const intentOf = (text: string, memory = known) => findIntent(text, { memory, now: undefined }, tools);
const callOf = (text: string) => {
  const found = intentOf(text);
  return found?.kind === "call" ? [found.calls[0].name, found.calls[0].input] : [found?.kind];
};
const subjectOf = (text: string) => {
  const found = intentOf(text);
  return found?.kind === "research" ? found.subject : found;
};
const changesOf = (text: string) => {
  const found = intentOf(text);
  const { changes } = (found?.kind === "call" ? found.calls[0].input : {}) as {
    changes?: readonly Record<string, string>[];
  };
  return changes?.map(({ field, op, value }) => [field, op, value]);
};

describe("web research", () => {
  test.each([
    ["search for granite quarries", "granite quarries"],
    ["Can you look up the tidal range at Saint-Malo?", "the tidal range at Saint-Malo"],
    ["research the history of Bergen, please", "the history of Bergen"],
    ["Find out who built the Eiffel Tower", "who built the Eiffel Tower"],
    ["latest news about fusion energy", "fusion energy"],
    ["What's the latest on the Artemis program?", "the Artemis program"],
    ["What does the web say about standing desks?", "standing desks"],
  ])("%j researches %j", (text, what) => expect(subjectOf(text)).toBe(what));

  test.each([
    "I searched for my keys",
    "I am searching for my keys.",
    "Research shows that coffee is good.",
    "Search engines are useful.",
    "The news was bad today.",
    "Mail search@example.org",
  ])("%j is no request", (text) => expect(intentOf(text)).toBeUndefined());
});

describe("the weather", () => {
  test.each([
    ["What's the weather in Bergen?", "Bergen"],
    ["weather in New York today", "New York"],
    ["What is the weather like tomorrow in Paris, France?", "Paris, France"],
    ["Will it rain in Bergen tomorrow?", "Bergen"],
  ])("%j asks for %j", (text, place) => expect(callOf(text)).toEqual(["weather", { place }]));

  test.each(["the weather was nice", "The weather in Rome was nice.", "Das Wetter war schön.", "Rain is wet."])(
    "%j is no request",
    (text) => expect(intentOf(text)).toBeUndefined(),
  );

  test("without a place, uses the remembered location or asks", () => {
    const memory = new Map([["location", "Saint-Malo"]]);
    expect(intentOf("What is the weather today?", memory)).toMatchObject({
      calls: [{ input: { place: "Saint-Malo" } }],
    });
    expect(intentOf("What is the weather today?")).toMatchObject({ kind: "ask", tool: "weather" });
  });
});

describe("sums", () => {
  test.each([
    ["what is 12*7", "12*7"],
    ["What's 12 times 7?", "12 * 7"],
    ["calculate (1250 * 1.19) / 12", "(1250 * 1.19) / 12"],
    ["12*7=", "12*7"],
    ["what is 15% of 80?", "15% of 80"],
    ["what is the square root of 2", "sqrt(2)"],
  ])("%j is %j", (text, expression) => expect(callOf(text)).toEqual(["calculate", { expression }]));

  test.each(["What is 9/11?", "What is 2024?", "555-1234", "2024-05-01", "I have 3 dogs + 2 cats", "What is love?"])(
    "%j is no sum",
    (text) => expect(intentOf(text)).toBeUndefined(),
  );
});

describe("the clock", () => {
  test.each([
    ["What time is it?", {}],
    ["What time is it in Tokyo?", { timeZone: "Asia/Tokyo" }],
  ])("%j gives %j", (text, given) => expect(callOf(text)).toEqual(["now", given]));
});

describe("memory", () => {
  test.each([
    ["remember that I like tea", "preferences", "append", "I like tea"],
    ["Please remember my birthday is May 3", "notes", "append", "my birthday is May 3"],
    ["Remember: my name is Bo", "name", "replace", "Bo"],
    ["My name is Bo", "name", "replace", "Bo"],
    ["I live in Bergen.", "location", "replace", "Bergen"],
    ["I'm 34 years old", "age", "replace", "34"],
    ["forget my name", "name", "remove", undefined],
  ])("%j changes %s", (text, ...changed) => expect(changesOf(text)).toEqual([changed]));

  test("forgetting everything removes each field that has a value", () => {
    expect(changesOf("Forget everything about me")).toEqual([
      ["name", "remove", undefined],
      ["notes", "remove", undefined],
    ]);
  });

  test("forgetting something unknown changes nothing", () => {
    expect(changesOf("forget the colour of my bicycle")).toEqual([]);
  });

  test.each(["What do you know about me?", "Show me your memory"])("%j reads the memory", (text) =>
    expect(callOf(text)).toEqual(["working_memory", {}]),
  );

  test.each([
    "Do you remember when we met?",
    "Remember when we met?",
    "I remember that day.",
    "forget it",
    "call me tomorrow",
    "My name is on the list.",
    "note the difference",
    "My dog is called Rex.",
    "delete the file",
    "I live in Bergen. What should I see there?",
  ])("%j changes nothing", (text) => expect(intentOf(text)).toBeUndefined());
});

describe("reading", () => {
  test.each(["open [3]", "show source 3"])("%j opens the artifact", (text) =>
    expect(callOf(text)).toEqual(["read_artifact", { ref: 3 }]),
  );

  test.each(["Summarize https://a.example/b.", "https://a.example/b"])("%j reads the page", (text) =>
    expect(callOf(text)).toEqual(["scrape_webpage", { urls: ["https://a.example/b"] }]),
  );

  test.each([
    "My site is https://a.example/b",
    "I read https://a.example/b yesterday.",
    "ann@a.example",
    "page [3] was nice",
  ])("%j is no request", (text) => expect(intentOf(text)).toBeUndefined());
});

test("a long text is no request", () => {
  expect(intentOf(`search for ${"granite ".repeat(5000)}`)).toBeUndefined();
});
