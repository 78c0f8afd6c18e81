import { expect, test } from "vitest";
import { z } from "zod";
import { describeSources, findApprovalRequest, type PolicyInput } from "./approval-rules.ts";
import { defineTool, type Tool } from "../../tools/tool.ts";

const tool = (given: Partial<Tool>): Tool =>
  defineTool({
    name: "t",
    description: "",
    input: z.object({}),
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 1 },
    execute: async () => ({ output: null }),
    ...given,
  });
const keyed = { effects: ["write"], repeat: "keyed" } as const;
const links = (letters: string): readonly string[] =>
  letters.split("").map((letter) => `https://page.example/${letter}#x`);
const ask = (given: Partial<Tool>, more: Partial<PolicyInput> = {}): string | undefined =>
  findRequest(given, more)?.code;
const findRequest = (given: Partial<Tool>, more: Partial<PolicyInput> = {}) =>
  findApprovalRequest({
    tool: tool(given),
    input: {},
    untrusted: ["evil.example"],
    grants: new Set(),
    question: "Remember that I live in Bern.",
    memory: new Map([["location", "Bonn"]]),
    scope: { threadId: "thread", projectId: "own", focusId: null },
    knownUrls: new Set(["https://known.example/a?b=1"]),
    pageUrls: new Set("abcdef".split("").map((letter) => `https://page.example/${letter}`)),
    sentBefore: [],
    holdsSecret: (text) => text.includes("sk-"),
    ...more,
  });

test.each<[string, Partial<Tool>, string | undefined, string | undefined]>([
  ["a read", {}, undefined, undefined],
  ["spending", { effects: ["spend"] }, "spends", "spends"],
  ["deleting", { effects: ["write", "destructive"], repeat: "keyed" }, "destroys", "destroys"],
  ["a write that cannot be repeated", { effects: ["write"], repeat: "once" }, "irreversible", "irreversible"],
  ["our own write, which can be undone", { effects: ["write"], repeat: "keyed" }, undefined, undefined],
  ["storing what cannot be compared", { ...keyed, remembers: () => true }, undefined, "remembers"],
  ["storing the user's words", { ...keyed, remembers: () => false }, undefined, undefined],
  [
    "removing memory",
    { ...keyed, remembers: (_, { memory }) => `lost ${memory.get("location")}` },
    undefined,
    "remembers",
  ],
  [
    "a tool of an untrusted MCP server",
    { effects: ["write", "egress"], repeat: "once" },
    "irreversible",
    "irreversible",
  ],
  ["sending what it does not tell", { effects: ["egress"] }, undefined, "sends"],
  [
    "a known address",
    { effects: ["egress"], sends: () => ({ urls: ["https://known.example/a?b=1"] }) },
    undefined,
    undefined,
  ],
  [
    "a made-up address",
    { effects: ["egress"], sends: () => ({ urls: ["https://known.example/a?b=2"] }) },
    undefined,
    "composed-url",
  ],
  [
    "one of several made up",
    { effects: ["egress"], sends: () => ({ urls: ["https://known.example/a?b=1", "https://x.y"] }) },
    undefined,
    "composed-url",
  ],
  [
    "deleting what can be restored",
    { ...keyed, approvalReasonIfUntrusted: () => "It deletes." },
    undefined,
    "asks-untrusted",
  ],
  ["an edit of the own project", { ...keyed, approvalReasonIfUntrusted: () => undefined }, undefined, undefined],
  ["three links of pages", { effects: ["egress"], sends: () => ({ urls: links("abc") }) }, undefined, undefined],
  ["four links of pages", { effects: ["egress"], sends: () => ({ urls: links("abcd") }) }, undefined, "page-links"],
  ["a short query", { effects: ["egress"], sends: () => ({ query: "granite" }) }, undefined, undefined],
  ["a long query", { effects: ["egress"], sends: () => ({ query: "x".repeat(61) }) }, undefined, "long-query"],
  [
    "a long query of the user's words",
    { effects: ["egress"], sends: () => ({ query: "Bern REMEMBER live ".repeat(20) }) },
    undefined,
    undefined,
  ],
  [
    "a query with a secret",
    { effects: ["egress"], sends: () => ({ query: "what is sk-123" }) },
    undefined,
    "secret-query",
  ],
])("%s: asks as the table says, without and with untrusted content", (_, given, clean, untrusted) => {
  expect(ask(given, { untrusted: [] })).toBe(clean);
  expect(ask(given)).toBe(untrusted);
});

test("page links are counted per answer, each once, without URLs that the user wrote or a search returned", () => {
  const fetching = (...urls: readonly string[]): Partial<Tool> => ({ effects: ["egress"], sends: () => ({ urls }) });
  const sentBefore = [{ urls: links("ab") }, { urls: links("bc") }, { urls: ["https://known.example/a?b=1"] }];
  expect(ask(fetching(...links("c")), { sentBefore })).toBeUndefined();
  expect(ask(fetching("https://known.example/a?b=1"), { sentBefore })).toBeUndefined();
  expect(ask(fetching(...links("d")), { sentBefore })).toBe("page-links");
  expect(ask(fetching(...links("d")), { sentBefore: sentBefore.slice(0, 1) })).toBeUndefined();
  expect(ask(fetching(...links("de")), { sentBefore: sentBefore.slice(0, 1) })).toBe("page-links");
  const knownUrls = new Set(["https://page.example/d"]);
  expect(ask(fetching(...links("d")), { sentBefore, knownUrls })).toBeUndefined();
  expect(ask(fetching(...links("d")), { sentBefore, grants: new Set(["t links page.example"]) })).toBeUndefined();
  expect(ask(fetching(...links("d")), { sentBefore, grants: new Set(["t links other.example", "t"]) })).toBe(
    "page-links",
  );
});

test("six different queries per answer need no approval, and queries in the user's own words are not counted", () => {
  const asking = (query: string): Partial<Tool> => ({ effects: ["egress"], sends: () => ({ query }) });
  const sentBefore = ["a", "b", "c", "d", "e", "e", "Bern"].map((query) => ({ query }));
  expect(ask(asking("f"), { sentBefore })).toBeUndefined();
  expect(ask(asking("g"), { sentBefore: [...sentBefore, { query: "f" }] })).toBe("many-queries");
  expect(ask(asking("a"), { sentBefore: [...sentBefore, { query: "f" }] })).toBeUndefined();
  expect(ask(asking("live Bern"), { sentBefore: [...sentBefore, { query: "f" }] })).toBeUndefined();
});

test("the reason names the sources that were read", () => {
  const question = (untrusted: readonly string[]) =>
    findApprovalRequest({
      ...{
        tool: tool({ ...keyed, remembers: () => true }),
        input: {},
        grants: new Set(),
        question: "",
        memory: new Map(),
      },
      ...{ untrusted, knownUrls: new Set(), pageUrls: new Set(), sentBefore: [], holdsSecret: () => false },
      scope: { threadId: "thread", projectId: null, focusId: null },
    })?.text;
  expect(question(["example.com"])).toMatch(/ This run has read untrusted content from example\.com\.$/);
  expect(describeSources(["a.example", "b.example"]).text).toBe(
    "This run has read untrusted content from a.example and b.example.",
  );
  expect(describeSources(["a", "b", "c", "d", "e"]).text).toBe(
    "This run has read untrusted content from a, b, c and 2 more.",
  );
});

test("a grant covers the tool's identity if it has one", () => {
  const remove: Partial<Tool> = { effects: ["destructive"], identity: "mcp:one" };
  expect(ask(remove, { grants: new Set(["t"]) })).toBe("destroys");
  expect(ask(remove, { grants: new Set(["mcp:one"]) })).toBeUndefined();
  expect(ask({ ...remove, identity: "mcp:two" }, { grants: new Set(["mcp:one"]) })).toBe("destroys");
});

test("a grant for the thread is not asked again and covers no other host", () => {
  const sends = (url: string): Partial<Tool> => ({ effects: ["egress"], sends: () => ({ urls: [url] }) });
  const grants = new Set(["t made.up"]);
  expect(ask(sends("https://made.up/1"), { grants })).toBeUndefined();
  expect(ask(sends("https://other.up/1"), { grants })).toBe("composed-url");
  const both: Partial<Tool> = {
    effects: ["egress"],
    sends: () => ({ urls: ["https://made.up/", "https://other.up/"] }),
  };
  expect(ask(both, { grants })).toBe("composed-url");
  expect(ask({ effects: ["destructive"] }, { grants })).toBe("destroys");
  expect(ask({ effects: ["destructive"] }, { grants: new Set(["t"]) })).toBeUndefined();
});

test("an approval that a tool requires for its arguments covers nothing else", () => {
  const bulk: Partial<Tool> = { approvalReason: (input) => ((input as { n?: number }).n ? "It is much." : undefined) };
  const one = { untrusted: [], input: {} };
  const many = { untrusted: [], input: { n: 20 } };
  expect(ask(bulk, one)).toBeUndefined();
  expect(ask(bulk, many)).toBe("asks");
  expect(ask(bulk, { ...many, grants: new Set(["t"]) })).toBe("asks");
  const allowed = { ...many, grants: new Set(["t asks"]) };
  expect(ask(bulk, allowed)).toBeUndefined();
  expect(ask({ ...bulk, remembers: () => true }, { ...allowed, untrusted: ["evil.example"] })).toBe("remembers");
  expect(ask({ ...bulk, effects: ["write", "destructive"] }, allowed)).toBe("destroys");
});

test.each(["delete_file", "lov-delete"])("a grant stored under a tool's name or alias counts: %s", (name) => {
  const renamed = { name: "delete_file", aliases: ["lov-delete"], approvalReason: () => "It deletes a folder." };
  expect(ask(renamed, { untrusted: [] })).toBe("asks");
  expect(ask(renamed, { untrusted: [], grants: new Set([`${name} asks`]) })).toBeUndefined();
});

const querying = (query: string): Partial<Tool> => ({ effects: ["egress"], sends: () => ({ query }) });

test.each<[Partial<Tool>, string]>([
  [{ effects: ["spend"] }, "It spends money."],
  [{ effects: ["destructive"] }, "It deletes something."],
  [{ effects: ["write"], repeat: "once" }, "It cannot be undone from here."],
])("a reason that does not depend on untrusted content is shown alone: %#", (given, text) => {
  for (const untrusted of [[], ["evil.example"]]) expect(findRequest(given, { untrusted })?.text).toBe(text);
});

test.each<[Partial<Tool>, string]>([
  [{ ...keyed, remembers: () => true }, "It wants to store something that you did not write yourself."],
  [{ ...keyed, remembers: (_, { memory }) => `It loses ${memory.get("location")}.` }, "It loses Bonn."],
  [{ ...keyed, approvalReasonIfUntrusted: () => "It deletes." }, "It deletes."],
  [{ effects: ["egress"] }, "It sends data to another server."],
  [querying("x".repeat(61)), "The query is long enough to carry data."],
  [querying("what is sk-123"), "The query holds something that looks like a secret."],
])("a reason with untrusted content is followed by its sources: %#", (given, text) => {
  expect(findRequest(given)?.text).toBe(`${text} This run has read untrusted content from evil.example.`);
});

test("a grant for queries covers long and many queries, and nothing else", () => {
  const grants = new Set(["t queries"]);
  const sentBefore = ["a", "b", "c", "d", "e", "f"].map((query) => ({ query }));
  expect(ask(querying("x".repeat(60)))).toBeUndefined();
  expect(findRequest(querying("x".repeat(61)))?.key).toBe("t queries");
  expect(ask(querying("x".repeat(61)), { grants })).toBeUndefined();
  expect(findRequest(querying("g"), { sentBefore })?.key).toBe("t queries");
  expect(ask(querying("g"), { sentBefore, grants })).toBeUndefined();
  expect(ask(querying("what is sk-123"), { grants })).toBe("secret-query");
});

test("what a tool sends is asked only of tools that send something, and a broken address is no known one", () => {
  expect(ask({ effects: ["read"], sends: () => ({ query: "x".repeat(61) }) })).toBeUndefined();
  expect(ask({ effects: ["egress"], sends: () => ({ urls: ["not an address"] }) })).toBe("composed-url");
  const restored: Partial<Tool> = { ...keyed, approvalReasonIfUntrusted: () => "It deletes." };
  expect(findRequest(restored)?.key).toBe("t It deletes.");
  expect(ask(restored, { grants: new Set(["t It deletes."]) })).toBeUndefined();
  expect(ask(restored, { grants: new Set(["t "]) })).toBe("asks-untrusted");
});
