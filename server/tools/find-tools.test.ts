import { expect, test } from "vitest";
import type { ToolSpec } from "../../protocol/model.ts";
import { toolContext } from "../../test/support/server/tool-context.ts";
import type { Tool } from "./tool.ts";
import { createCatalogTools, findTools, type FindToolsResult } from "./find-tools.ts";

const spec = (name: string, description: string, ...fields: readonly string[]): ToolSpec => ({
  name,
  description,
  inputSchema: { type: "object", properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])) },
});
const specs = [
  spec("createIssue", "Opens an issue", "repository", "title"),
  spec("list_issues", "Issues of a repository", "repository"),
  spec("send_mail", "Sends an e-mail", "recipient"),
  spec("find_tools", "finds tools"),
  spec("use_tool", "uses a tool"),
];
const named = (query: string): readonly string[] => findTools(query, specs).tools.map(({ name }) => name);

test("finds tools by name, description and arguments, best match first", () => {
  expect(named("create an issue")[0]).toBe("createIssue");
  expect(named("mail")).toEqual(["send_mail"]);
  expect(named("recipient")).toEqual(["send_mail"]);
  expect(named("repository issues").toSorted()).toEqual(["createIssue", "list_issues"]);
});

test("returns the schema needed to call a tool", () => {
  expect(findTools("mail", specs)).toEqual({
    tools: [{ name: "send_mail", description: "Sends an e-mail", input: specs[2]!.inputSchema }],
  });
});

test("lists the available names if nothing matches, and says when there are none", () => {
  expect(findTools("granite", specs)).toEqual({
    tools: [],
    note: "No tool matches. Available tools: createIssue, list_issues, send_mail.",
  });
  expect(findTools("granite", [])).toEqual({ tools: [], note: "There are no other tools." });
});

test("returns a few tools of many matches and names the rest", () => {
  const many = Array.from({ length: 300 }, (_, n) => spec(`mail_${n}`, "mail"));
  const found = findTools("mail", many);
  expect(found.tools).toHaveLength(5);
  expect(found.note).toMatch(/^Weaker matches: .* and 255 more\.$/);
});

test("find_tools searches the thread's tools; use_tool only carries a call", async () => {
  const [find, use] = createCatalogTools(({ threadId }) => (threadId === "t" ? specs : [])) as [Tool, Tool];
  const { output } = await find.execute({ query: "mail" }, toolContext());
  expect((output as FindToolsResult).tools.map(({ name }) => name)).toEqual(["send_mail"]);
  expect(find.summarize!({ query: "mail" }, output)).toBe("found send_mail");
  expect(use.input.safeParse({ name: "send_mail", input: { recipient: "ann" } }).success).toBe(true);
  await expect(use.execute({ name: "send_mail", input: {} }, toolContext())).rejects.toThrow(/handled by the run/i);
});
