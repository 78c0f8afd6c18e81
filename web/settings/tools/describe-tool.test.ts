import { expect, test } from "vitest";
import { describeAsking, describeEffects, describeServer, groupTools, type ToolOffer } from "./describe-tool.ts";

const tool = (part: Partial<ToolOffer>): ToolOffer => ({
  name: "x",
  description: "",
  repeat: "pure",
  effects: [],
  ...part,
});

test.each<[Partial<ToolOffer>, string | null]>([
  [{ effects: ["write", "spend"] }, "Asks first: it spends money"],
  [{ effects: ["write", "destructive"] }, "Asks first: it deletes"],
  [{ effects: ["write"], repeat: "once" }, "Asks first: it cannot be undone"],
  [{ effects: ["write"], repeat: "keyed" }, null],
  [{ effects: ["read", "egress"] }, "May ask before it sends"],
  [{ effects: ["read"] }, null],
])("%o asks: %s", (part, words) => {
  expect(describeAsking(tool(part))).toBe(words);
});

test("effects are told in words, and an unknown one as it is", () => {
  expect(describeEffects(tool({ effects: ["read", "egress", "odd"] }))).toBe("reads, goes online, odd");
  expect(describeEffects(tool({}))).toBe("only thinks");
});

test("our own tools come first, then each server's", () => {
  const tools = ["mcp__web__echo", "now", "mcp__files__read", "weather"].map((name) => tool({ name }));
  expect(groupTools(tools).map(({ server, tools: members }) => [server, members.map(({ name }) => name)])).toEqual([
    [null, ["now", "weather"]],
    ["files", ["mcp__files__read"]],
    ["web", ["mcp__web__echo"]],
  ]);
});

test("a change that waits is said before anything else", () => {
  const server = { server: "s", kind: "http", state: "ready", tools: [], changes: [], problems: [] } as const;
  const told = { ...server, tools: [...server.tools], changes: [...server.changes], problems: [...server.problems] };
  expect(describeServer(told)).toEqual({ tone: "good", text: "0 tools" });
  expect(describeServer({ ...told, changes: [{ tool: "t", hash: "h", lines: [] }] }).tone).toBe("warn");
  expect(describeServer({ ...told, state: "signed-out" }).text).toBe("Asks you to sign in");
  expect(describeServer({ ...told, state: "odd" }).text).toBe("odd");
});
