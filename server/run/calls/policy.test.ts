import { expect, test } from "vitest";
import { z } from "zod";
import { collectUrls, findQuestion, toPlainUrl, type Circumstances } from "./policy.ts";
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
const ask = (given: Partial<Tool>, more: Partial<Circumstances> = {}): string | undefined =>
  findQuestion({
    tool: tool(given),
    input: {},
    tainted: true,
    grants: new Set(),
    knownUrls: collectUrls(["see https://known.example/a?b=1#c."]),
    holdsSecret: (text) => text.includes("sk-"),
    ...more,
  })?.code;

test.each<[string, Partial<Tool>, string | undefined, string | undefined]>([
  ["a read", {}, undefined, undefined],
  ["spending", { effects: ["spend"] }, "spends", "spends"],
  ["deleting", { effects: ["write", "destructive"], repeat: "keyed" }, "destroys", "destroys"],
  ["a write that cannot be repeated", { effects: ["write"], repeat: "once" }, "irreversible", "irreversible"],
  ["our own write, which can be undone", { effects: ["write"], repeat: "keyed" }, undefined, undefined],
  ["memory", { effects: ["write"], repeat: "keyed", remembers: () => true }, undefined, "remembers"],
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
  ["a short query", { effects: ["egress"], sends: () => ({ query: "granite" }) }, undefined, undefined],
  ["a long query", { effects: ["egress"], sends: () => ({ query: "x".repeat(201) }) }, undefined, "long-query"],
  [
    "a query with a secret",
    { effects: ["egress"], sends: () => ({ query: "what is sk-123" }) },
    undefined,
    "secret-query",
  ],
])("%s asks when it must", (_, given, clean, tainted) => {
  expect(ask(given, { tainted: false })).toBe(clean);
  expect(ask(given, { tainted: true })).toBe(tainted);
});

test("what was allowed for the thread is not asked again, and allows no other host", () => {
  const sends = (url: string): Partial<Tool> => ({ effects: ["egress"], sends: () => ({ urls: [url] }) });
  const grants = new Set(["t made.up"]);
  expect(ask(sends("https://made.up/1"), { grants })).toBeUndefined();
  expect(ask(sends("https://other.up/1"), { grants })).toBe("composed-url");
  expect(ask({ effects: ["destructive"] }, { grants })).toBe("destroys");
  expect(ask({ effects: ["destructive"] }, { grants: new Set(["t"]) })).toBeUndefined();
});

test("an address is known as it stands, whatever follows it in the sentence", () => {
  const known = collectUrls(['Look at (https://a.example/x), "https://b.example/?q=1" or https://c.example/y.']);
  for (const url of [
    "https://a.example/x",
    "https://b.example/?q=1",
    "https://c.example/y",
    "HTTPS://A.example/x#part",
  ])
    expect(known.has(toPlainUrl(url)), url).toBe(true);
  for (const url of ["https://a.example/x/secret", "https://a.example/", "https://c.example/y?z"])
    expect(known.has(toPlainUrl(url)), url).toBe(false);
});

test("what a tool wants asked of its arguments is asked, and allowing it allows nothing else", () => {
  const bulk: Partial<Tool> = { asks: (input) => ((input as { n?: number }).n ? "It is much." : undefined) };
  const one = { tainted: false, input: {} };
  const many = { tainted: false, input: { n: 20 } };
  expect(ask(bulk, one)).toBeUndefined();
  expect(ask(bulk, many)).toBe("asks");
  expect(ask(bulk, { ...many, grants: new Set(["t"]) })).toBe("asks");
  const allowed = { ...many, grants: new Set(["t asks"]) };
  expect(ask(bulk, allowed)).toBeUndefined();
  expect(ask({ ...bulk, remembers: () => true }, { ...allowed, tainted: true })).toBe("remembers");
  expect(ask({ ...bulk, effects: ["write", "destructive"] }, allowed)).toBe("destroys");
});
