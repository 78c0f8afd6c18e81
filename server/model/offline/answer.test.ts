import { describe, expect, test } from "vitest";
import type { ModelRequest, PromptMessage, PromptPart, PromptResult, ToolSpec } from "../../../protocol/model.ts";
import { composeAnswer } from "./answer.ts";

const spec = (name: string, ...fields: readonly string[]): ToolSpec => ({
  name,
  description: "",
  inputSchema: { type: "object", properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])) },
});
const web = [spec("plan_research", "queries"), spec("scrape_webpage", "url"), spec("search_web", "query", "count")];
const researcher = "You are a researcher. Plan with plan_research, search, read the best pages.";
const question = "What is the tidal range at Saint-Malo?";

const user = (text: string): PromptMessage => ({ role: "user", text });
type Call = readonly [name: string, input: object, output: unknown];
/** One step: its calls and their results; an `Error` is a failed one. */
const step = (...calls: readonly Call[]): readonly PromptMessage[] => {
  const parts = calls.map(([name, input], index): PromptPart => ({
    kind: "tool-call",
    callId: `${name}-${index}`,
    name,
    input,
  }));
  const results = calls.map(([name, , output], index): PromptResult => {
    const failed = output instanceof Error;
    const text = failed ? output.message : typeof output === "string" ? output : JSON.stringify(output);
    return { callId: `${name}-${index}`, name, text, failed };
  });
  return [
    { role: "assistant", parts },
    { role: "tool", results },
  ];
};
const answer = (messages: readonly PromptMessage[], more: Partial<ModelRequest> = {}) => {
  const request: ModelRequest = {
    system: researcher,
    messages,
    tools: web,
    toolChoice: "auto",
    effort: "medium",
    maxOutputTokens: null,
    ...more,
  };
  const { text, calls } = composeAnswer(request);
  return { text, calls: calls.map(({ name, input }) => [name, input]) };
};

const plan = step([
  "plan_research",
  {},
  { queries: [{ query: "tidal range Saint-Malo" }, { query: "Saint-Malo tides" }] },
]);
const hit = (ref: number, url: string, relevance: number, snippet = "") => ({
  ref,
  url,
  title: `Title ${ref}`,
  snippet,
  relevance,
  ...(relevance < 0.5 ? { markedLowRelevance: true } : {}),
});
const search = (query: string, ...results: readonly object[]): Call => [
  "search_web",
  { query },
  { query, provider: "searxng", results, attempts: [] },
];
const nothing = (query: string): Call => [
  "search_web",
  { query },
  {
    query,
    provider: null,
    note: "No search provider could be reached. searxng: It is down. Tell the user and answer without web results.",
    results: [],
    attempts: [{ provider: "searxng", code: "unreachable", reason: "It is down." }],
  },
];
const found = [
  hit(1, "https://a.example/tides", 0.7),
  hit(2, "https://a.example/more", 0.65),
  hit(3, "https://b.example/", 0.9),
  hit(4, "https://c.example/", 0.2),
  hit(5, "https://d.example/", 0.6),
];
const searched = step(search("tidal range Saint-Malo", ...found), search("Saint-Malo tides"));
const fact = "At Saint-Malo the tidal range reaches 12 metres at spring tide.";
const page = (url: string, ref: number, text: string): Call => [
  "scrape_webpage",
  { url },
  { url, title: "T", ref, text },
];

describe("research", () => {
  test("plans a search for a researcher's question", () => {
    expect(answer([user(question)]).calls).toEqual([
      ["plan_research", { queries: [{ query: "tidal range at Saint-Malo", priority: 1, why: "The question itself" }] }],
    ]);
    expect(answer([user("Saint-Malo tidal range")]).calls).toHaveLength(1);
  });

  test.each(["Thanks a lot for this", "My dog is called Rex.", "hello"])("does not research %j", (text) => {
    expect(answer([user(text)]).calls).toEqual([]);
  });

  test("researches in other profiles only when asked to", () => {
    const stone = { system: "You are Stonechat." };
    expect(answer([user(question)], stone)).toMatchObject({
      calls: [],
      text: expect.stringContaining("I do not know"),
    });
    expect(answer([user(`Find out: ${question}`)], stone).calls).toMatchObject([["plan_research", {}]]);
    expect(answer([user("Find out the tidal range at Saint-Malo")], stone).calls).toMatchObject([
      ["plan_research", {}],
    ]);
  });

  test("runs the planned searches that were not run", () => {
    expect(answer([user(question), ...plan]).calls).toEqual([
      ["search_web", { query: "tidal range Saint-Malo" }],
      ["search_web", { query: "Saint-Malo tides" }],
    ]);
    const [open] = answer([user(question), ...plan, ...step(search("tidal range Saint-Malo", ...found))]).calls;
    expect(open).toEqual(["search_web", { query: "Saint-Malo tides" }]);
  });

  test("reads the two most relevant pages of different sites, none of low relevance", () => {
    const { calls, text } = answer([user(question), ...plan, ...searched]);
    expect(calls).toEqual([
      ["scrape_webpage", { url: "https://b.example/" }],
      ["scrape_webpage", { url: "https://a.example/tides" }],
    ]);
    expect(text).toBe("No results for “Saint-Malo tides”: It found no results.");
  });

  test("reports a page that could not be read and tries the next best", () => {
    const broken: Call = [
      "scrape_webpage",
      { url: "https://b.example/" },
      { url: "https://b.example/", error: { code: "timeout", message: "Too slow." } },
    ];
    const turn = [user(question), ...plan, ...searched, ...step(broken, page("https://a.example/tides", 7, fact))];
    const { calls, text } = answer(turn);
    expect(calls).toEqual([["scrape_webpage", { url: "https://d.example/" }]]);
    expect(text).toContain("The page https://b.example/ could not be read: Too slow.");
    const told: PromptMessage = { role: "assistant", parts: [{ kind: "text", text }] };
    const tried = [...turn, told, ...step(["scrape_webpage", { url: "https://d.example/" }, new Error("denied")])];
    const third = answer(tried);
    expect(third.text).toBe("The page https://d.example/ could not be read: denied");
    expect(third.calls).toEqual([["scrape_webpage", { url: "https://a.example/more" }]]);
    const last = answer([...tried, ...step(["scrape_webpage", { url: "https://a.example/more" }, new Error("gone")])]);
    expect(last.calls).toEqual([]);
    expect(last.text).toContain("https://a.example/more could not be read: gone");
    expect(last.text).toContain(`> ${fact} [7]`);
  });

  test("quotes the best sentences with their numbers and says that it only quotes", () => {
    const text = `# Tides\n\nThe sea comes and goes. ${fact}[12] See [the port](https://a.example/port).\n\n| a | b |`;
    const told = answer([
      user(question),
      ...plan,
      ...searched,
      ...step(page("https://a.example/tides", 7, text), page("https://b.example/", 8, "Lunch is at noon.")),
    ]);
    expect(told.calls).toEqual([]);
    expect(told.text).toContain(`T (a.example) says:\n\n> ${fact} [7]`);
    expect(told.text).toContain("only quote");
    expect(told.text).not.toMatch(/\[12\]|Lunch|port/);
  });

  test("without the fact on the pages it does not know, and names what it read (control)", () => {
    const { text } = answer([
      user(question),
      ...plan,
      ...searched,
      ...step(
        page("https://a.example/", 7, "The sea comes and goes."),
        page("https://b.example/", 8, "Lunch is at noon."),
      ),
    ]);
    expect(text).toContain("I do not know");
    expect(text).toContain("T (a.example) [7]");
    expect(text).not.toContain("> ");
  });

  test("when pages cannot be read the results are quoted, and it is said that they are only that", () => {
    const only = step(search("tidal range Saint-Malo", hit(4, "https://a.example/", 0.8, fact)));
    const { text, calls } = answer([user(question), ...only], { tools: [spec("search_web", "query")] });
    expect(calls).toEqual([]);
    expect(text).toMatch(/whose pages I did not read:[^]*> At Saint-Malo .* \[4\]/);
  });

  test("says that no search worked and makes nothing up", () => {
    const { text, calls } = answer([
      user(question),
      ...plan,
      ...step(nothing("tidal range Saint-Malo"), nothing("Saint-Malo tides")),
    ]);
    expect(calls).toEqual([]);
    expect(text).toContain("No results for “tidal range Saint-Malo”: No search provider could be reached");
    expect(text).toContain("searxng: It is down.");
    expect(text).not.toContain("Say so");
    expect(text).toContain("nothing to quote");
  });

  test("does not repeat steps that fell out of the window", () => {
    const { calls, text } = answer([user(question), ...step(page("https://a.example/tides", 7, fact))]);
    expect(calls).toEqual([]);
    expect(text).toContain(`> ${fact} [7]`);
  });

  test("quotes only whole sentences of a shortened page", () => {
    const cut = `{"url":"https://a.example/","title":"T","ref":7,"text":"${fact}\\nAt Saint-Malo the tidal range is sai\n[… 900 characters left out …]\nd of Saint-Malo, the tidal range. The tidal range of \\"Saint-Malo\\" is known.","more":"x"}`;
    const { text } = answer([user(question), ...step(["scrape_webpage", { url: "https://a.example/" }, cut])]);
    expect(text).toContain(`> ${fact} [7]`);
    expect(text).toContain('> The tidal range of "Saint-Malo" is known. [7]');
    expect(text).not.toMatch(/is sai|d of Saint/);
  });

  test("uses the whole results of a shortened search", () => {
    const whole = JSON.stringify({ query: "q", results: found });
    const cut = `${whole.slice(0, 150)}\n[… 90 characters left out …]\n${whole.slice(240)}`;
    const { calls } = answer([user(question), ...step(["search_web", { query: "q" }, cut])]);
    expect(calls).toEqual([
      ["scrape_webpage", { url: "https://a.example/tides" }],
      ["scrape_webpage", { url: "https://d.example/" }],
    ]);
  });
});

describe("limits", () => {
  const limit = user(
    "[The limit of this answer is reached. Answer now from what was gathered, without tools, and say what is missing.]",
  );

  test("answers from its results at the limit", () => {
    const first = step(search("tidal range Saint-Malo", hit(4, "https://a.example/", 0.8, fact)));
    const { text, calls } = answer([user(question), ...plan, ...first, limit], { toolChoice: "none" });
    expect(calls).toEqual([]);
    expect(text).toContain("[4]");
  });

  test("makes no more calls than are left, and none in the last step", () => {
    const left = (words: string) =>
      answer([
        user(question),
        ...plan,
        ...searched,
        user(`[Left for this answer: ${words}. Finish with what you have.]`),
      ]).calls;
    expect(left("1 more tool call(s)")).toHaveLength(1);
    expect(left("2 more step(s)")).toHaveLength(2);
    expect(left("1 more step(s)")).toHaveLength(0);
    expect(left("little time")).toHaveLength(0);
  });

  test("continues after a limit without repeating itself", () => {
    const said: PromptMessage = {
      role: "assistant",
      parts: [{ kind: "text", text: "I stopped here." }],
    };
    const more = user("[The user extended the limit of this answer. Continue from where it stopped.]");
    expect(answer([user(question), ...plan, said, more]).calls).toHaveLength(2);
    const quoted: PromptMessage = { role: "assistant", parts: [{ kind: "text", text: `> ${fact} [7]` }] };
    const { text } = answer([user(question), ...step(page("https://a.example/", 7, fact)), quoted, more]);
    expect(text).not.toContain(fact);
  });

  test("reads a user message in brackets as a question", () => {
    expect(answer([user("[What is the tidal range at Saint-Malo?]")]).calls).toHaveLength(1);
  });
});

describe("commands", () => {
  const every = [
    ...web,
    spec("calculate", "expression"),
    spec("now"),
    spec("read_artifact", "ref"),
    spec("weather", "place"),
    spec("working_memory", "changes"),
  ];
  const obey = (tool: string, text: string, ...before: readonly PromptMessage[]) =>
    answer([...before, user(text)], { tools: every, toolChoice: { tool } });

  test.each([
    ["search_web", "@basic granite quarries", { query: "granite quarries" }],
    ["search_web", "Please @Search for granite, @bob", { query: "granite, @bob" }],
    [
      "working_memory",
      "@workingMemory I live in Bergen",
      { changes: [{ field: "location", op: "replace", value: "Bergen", reason: "the user said so" }] },
    ],
    [
      "working_memory",
      "@workingMemory the door is red",
      {
        changes: [{ field: "notes", op: "append", value: "the door is red", reason: "the user asked to remember it" }],
      },
    ],
    ["working_memory", "@workingMemory", {}],
    ["working_memory", "@workingMemory what is my name?", {}],
    ["weather", "@weather Bergen", { place: "Bergen" }],
    ["weather", "@weather in Bergen", { place: "Bergen" }],
    ["calculate", "@calculate 12*7", { expression: "12*7" }],
    ["scrape_webpage", "@scrape_webpage https://a.example/", { url: "https://a.example/" }],
    ["read_artifact", "@read_artifact 3", { ref: 3 }],
    ["now", "@now", {}],
  ])("calls %s for %j", (tool, text, input) => {
    expect(obey(tool, text)).toEqual({ text: "", calls: [[tool, input]] });
  });

  test("cuts a query between words at 200 characters", () => {
    const [[, { query }]] = obey("search_web", `@search ${"granite ".repeat(60)}`).calls as [
      [string, { query: string }],
    ];
    expect(query.length).toBeLessThanOrEqual(200);
    expect(query).toMatch(/granite$/);
  });

  test("gives each of several commands its own words", () => {
    const text = "@search granite @weather Bergen";
    expect(obey("search_web", text).calls).toEqual([["search_web", { query: "granite" }]]);
    const second = answer([user(text), ...step(search("granite", ...found))], {
      tools: every,
      toolChoice: { tool: "weather" },
    });
    expect(second.calls).toEqual([["weather", { place: "Bergen" }]]);
  });

  test("searches for the previous message if the command has no words, or asks", () => {
    expect(obey("search_web", "@search", user("granite quarries")).calls).toEqual([
      ["search_web", { query: "granite quarries" }],
    ]);
    expect(obey("search_web", "@search")).toMatchObject({
      calls: [],
      text: expect.stringContaining("needs more words"),
    });
  });

  test("fills an unknown tool's required fields with the words", () => {
    const other: ToolSpec = {
      name: "echo",
      description: "",
      inputSchema: {
        properties: { message: { type: "string", maxLength: 5 }, times: { type: "integer" }, more: {} },
        required: ["message", "times"],
      },
    };
    const { calls } = answer([user("@echo hello 7")], { tools: [other], toolChoice: { tool: "echo" } });
    expect(calls).toEqual([["echo", { message: "hello", times: 7 }]]);
  });

  test("reads pages for @search but not for @basic", () => {
    const results = step(search("tidal range", hit(4, "https://a.example/", 0.8, fact)));
    expect(answer([user("@basic tidal range Saint-Malo"), ...results], { tools: every }).calls).toEqual([]);
    expect(answer([user("@search tidal range Saint-Malo"), ...results], { tools: every }).calls).toHaveLength(1);
  });
});

describe("rendering results", () => {
  const tell = (text: string, ...calls: readonly Call[]) => answer([user(text), ...step(...calls)], { tools: [] }).text;

  test("renders a sum, the weather and an artifact", () => {
    expect(
      tell("what is 1/3", ["calculate", {}, { read: "1 / 3", result: "0.333333333333333", exact: false }]),
    ).toContain("> 1 / 3 ≈ 0.333333333333333");
    expect(tell("weather in Bergen", ["weather", {}, { text: "Bergen: rain, 9 °C.", ref: 2 }])).toContain(
      "> Bergen: rain, 9 °C. [2]",
    );
    const opened: Call = [
      "read_artifact",
      { ref: 3 },
      { ref: 3, title: "T", url: null, passages: [{ from: 0, to: 9, text: `# Tides\n\n${fact} More of it.` }] },
    ];
    expect(tell("open [3]", opened)).toContain(`> ${fact} [3]`);
  });

  test("quotes a change of the memory", () => {
    const made = (before: string, after: string): Call => [
      "working_memory",
      { changes: [{}] },
      { changes: [{ changeId: "c", field: "name", before, after }] },
    ];
    expect(tell("My name is Bo", made("Ann", "Bo"))).toBe("Remembered:\n\n> name: Bo\n\nBefore:\n\n> name: Ann");
    expect(tell("forget my name", made("Ann", ""))).toBe("Forgotten:\n\n> name: Ann");
    expect(
      tell("what do you know about me?", ["working_memory", {}, { memory: { name: "Bo" }, changes: [] }]),
    ).toContain("> name: Bo");
    expect(tell("forget my bicycle", ["working_memory", {}, { memory: { name: "Bo" }, changes: [] }])).toContain(
      "Nothing matches",
    );
    expect(tell("what do you know about me?", ["working_memory", {}, { memory: {}, changes: [] }])).toBe(
      "Nothing is remembered about you.",
    );
  });

  test("reports a denied or failed call", () => {
    expect(
      tell("remember that I like tea", ["working_memory", {}, new Error("The user denied this call: not now")]),
    ).toBe("You did not allow `working_memory` (“not now”), so it was not run.");
    expect(
      tell("open [3]", ["read_artifact", { ref: 3 }, new Error("Nothing is kept under [3] in this thread.")]),
    ).toContain("Nothing is kept under [3]");
  });

  test("quotes the beginning of a page that is to be summarized", () => {
    const text = tell(
      "Summarize https://a.example/",
      page("https://a.example/", 7, `# Tides\n\n${fact} It is high. It is low. It is wet.`),
    );
    expect(text).toContain(`> ${fact} [7]\n\n> It is high. [7]\n\n> It is low. [7]`);
    expect(text).not.toContain("wet");
  });
});

describe("tools that are not offered", () => {
  const ways = [spec("find_tools", "query"), spec("use_tool", "name", "input")];

  test("are searched for and called by name", () => {
    const asked = user("What's the weather in Bergen?");
    expect(answer([asked], { tools: ways }).calls).toEqual([["find_tools", { query: "weather" }]]);
    const looked = step([
      "find_tools",
      { query: "weather" },
      { tools: [{ name: "weather", description: "", input: {} }] },
    ]);
    expect(answer([asked, ...looked], { tools: ways }).calls).toEqual([
      ["use_tool", { name: "weather", input: { place: "Bergen" } }],
    ]);
    const used = step(["use_tool", { name: "weather", input: { place: "Bergen" } }, { text: "Bergen: rain.", ref: 1 }]);
    expect(answer([asked, ...looked, ...used], { tools: ways })).toEqual({
      text: "The tool `weather` answered:\n\n> Bergen: rain. [1]",
      calls: [],
    });
  });

  test("are reported as missing if none is found", () => {
    const looked = step(["find_tools", { query: "weather" }, { tools: [], note: "None fits." }]);
    expect(answer([user("What's the weather in Bergen?"), ...looked], { tools: ways })).toEqual({
      text: "No tool here can do this.",
      calls: [],
    });
  });

  test("are not searched for after a plain statement", () => {
    expect(answer([user("My name is Bo")], { tools: ways, system: "" }).calls).toEqual([]);
  });
});

test("quotes a page of an earlier answer with its number", () => {
  const before = [user(question), ...plan, ...searched, ...step(page("https://a.example/tides", 7, fact))];
  const { text, calls } = answer([...before, user("How many metres does the tidal range at Saint-Malo reach?")]);
  expect(calls).toEqual([]);
  expect(text).toContain(`T (a.example) says:\n\n> ${fact} [7]`);
});

test.each(["Write me a haiku about birds", "Please translate this into French: good morning", "Tell me a joke"])(
  "says plainly that it cannot do “%s”, and links to the settings for models",
  (text) => {
    const answer = composeAnswer({
      system: "",
      messages: [{ role: "user", text }],
      tools: [],
      toolChoice: "auto",
      effort: "none",
      maxOutputTokens: null,
    });
    expect(answer.text).toMatch(/^I cannot do that: I am Stonechat's small built-in demo, without a language model\./);
    expect(answer.text).toContain("[Connect a model](/settings/models)");
  },
);
