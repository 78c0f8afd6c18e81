import { expect, test } from "vitest";
import { describeApproval, describeEffects, describeServer, groupTools, type ToolOffer } from "./describe-tool.ts";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";

const tool = (part: Partial<ToolOffer>): ToolOffer => ({
  name: "x",
  description: "",
  repeat: "pure",
  effects: [],
  ...part,
});

test.each<[Partial<ToolOffer>, string | null]>([
  [{ effects: ["write", "spend"] }, "Needs approval: spends money"],
  [{ effects: ["write", "destructive"] }, "Needs approval: deletes data"],
  [{ effects: ["write"], repeat: "once" }, "Needs approval: can't be undone"],
  [{ effects: ["write"], repeat: "keyed" }, null],
  [{ effects: ["read", "egress"] }, "May need approval to send data"],
  [{ effects: ["read"] }, null],
])("approval of %o: %s", (part, text) => {
  expect(describeApproval(tool(part))).toBe(text);
});

test("describes effects, and unknown ones by their code", () => {
  expect(describeEffects(tool({ effects: ["read", "egress", "odd"] }))).toBe("reads, goes online, odd");
  expect(describeEffects(tool({}))).toBe("no side effects");
});

test("groups built-in tools first, then those of each server", () => {
  const tools = ["mcp__web__echo", "now", "mcp__files__read", "weather"].map((name) => tool({ name }));
  expect(groupTools(tools).map(({ server, tools: members }) => [server, members.map(({ name }) => name)])).toEqual([
    [null, ["now", "weather"]],
    ["files", ["mcp__files__read"]],
    ["web", ["mcp__web__echo"]],
  ]);
});

test("a pending change takes precedence over other states", () => {
  const server: ServerStatus = { server: "s", kind: "http", state: "ready", tools: [], changes: [], problems: [] };
  expect(describeServer(server)).toEqual({ tone: "good", text: "0 tools" });
  expect(describeServer({ ...server, changes: [{ tool: "t", hash: "h", lines: [] }] }).tone).toBe("warn");
  expect(describeServer({ ...server, state: "signed-out" }).text).toBe("Sign-in required");
  expect(describeServer({ ...server, state: "odd" }).text).toBe("odd");
});
