import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createCatalog, type Catalog } from "./catalog.ts";
import { createCatalogTools } from "./find-tools.ts";
import { chooseTools, type GateMessage } from "./gate.ts";
import type { ToolGroup } from "./group.ts";
import { loadTools } from "./load-tools.ts";
import { toGroup } from "./mcp/offer-tool.ts";
import { projectGroup } from "./project/group.ts";
import { defineTool, type Tool } from "./tool.ts";
import { toolDeps } from "../../test/support/server/tool-context.ts";

const createTool = (name: string, fields: Partial<Tool> = {}): Tool =>
  defineTool({
    name,
    description: "",
    input: z.object({}),
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 1000 },
    ...fields,
    execute: async () => ({ output: "" }),
  });
const builtIn = await loadTools(toolDeps);
const pick = (...names: readonly string[]): readonly Tool[] => builtIn.filter(({ name }) => names.includes(name));
const own = pick("calculate", "now", "read_artifact", "working_memory", "weather", "plan_research", "search_web");
const project = [
  createTool("create_task", { group: projectGroup, aliases: ["make_task"] }),
  ...["list_events", "get_document_tree"].map((name) => createTool(name, { group: projectGroup })),
];
const ways = createCatalogTools(() => []);
const withTools = (...tools: readonly Tool[]): Catalog => createCatalog([...own, ...project, ...ways, ...tools]);
const catalog = withTools();
const user = (text: string): GateMessage => ({ role: "user", text });
const assistant = (text: string, ...tools: readonly string[]): GateMessage => ({ role: "assistant", text, tools });
const choose = (name: string, ...exchange: readonly GateMessage[]): readonly string[] =>
  chooseTools({ catalog, profile: { name, tools: null }, exchange });

test("the default profile gets project tools only if mentioned or inside a project", () => {
  const named = (tools: readonly Tool[]): readonly string[] => tools.map(({ name }) => name).toSorted();
  expect(choose("stone", user("hello"))).toEqual(named([...own, ...ways]));
  expect(choose("stone", user("add a task"))).toEqual(named([...own, ...project]));
  const inside = { catalog, profile: { name: "stone", tools: null }, inProject: true, exchange: [user("hello")] };
  expect(chooseTools(inside)).toEqual(named([...own, ...project]));
});

test("a project thread offers project tools for every profile", () => {
  const research = { name: "research", tools: ["search_web"] };
  const exchange = [user("hello")];
  expect(chooseTools({ catalog, profile: research, inProject: true, exchange })).toEqual(
    expect.arrayContaining(["search_web", ...project.map(({ name }) => name)]),
  );
  expect(chooseTools({ catalog, profile: research, exchange })).not.toContain("create_task");
});

test("the builder profile always offers workspace tools; others do if files are mentioned", () => {
  const built = withTools(...pick("view_file", "replace_lines"));
  const offered = (name: string, text: string): readonly string[] =>
    chooseTools({ catalog: built, profile: { name, tools: null }, inProject: true, exchange: [user(text)] });
  expect(offered("builder", "make it green")).toEqual(expect.arrayContaining(["view_file", "replace_lines"]));
  expect(offered("project", "hello")).not.toContain("view_file");
  expect(offered("project", "open the file")).toContain("view_file");
});

test("a profile with a fixed list gets those tools plus find_tools and use_tool", () => {
  const profile = { name: "research", tools: ["plan_research", "search_web", "not_installed"] };
  expect(chooseTools({ catalog, profile, exchange: [user("my calendar")] })).toEqual([
    "find_tools",
    "plan_research",
    "search_web",
    "use_tool",
  ]);
});

test("a profile or an earlier call may name a tool by an alias", () => {
  const profile = { name: "research", tools: ["make_task"] };
  expect(chooseTools({ catalog, profile, exchange: [user("hello")] })).toContain("create_task");
  expect(choose("stone", user("hello"), assistant("done", "make_task"), user("thanks"))).toContain("create_task");
});

test("the project profile offers web tools only if mentioned, project tools always", () => {
  const quiet = choose("project", user("rename the first one"));
  expect(quiet).toEqual(expect.arrayContaining(["create_task", "list_events", "find_tools", "use_tool", "now"]));
  expect(quiet).not.toContain("search_web");
  expect(choose("project", user("search the web for granite"))).toContain("search_web");
});

test("other profiles offer calendar tools only if mentioned", () => {
  expect(choose("builder", user("make it green"))).not.toContain("list_events");
  expect(choose("builder", user("when is my next meeting?"))).toContain("list_events");
});

test("considers recent messages, not only the last one", () => {
  const asked = [user("search the web for granite"), assistant("Shall I?"), user("yes, do it")];
  expect(choose("project", ...asked)).toContain("search_web");
  const offered = [user("hm"), assistant("I could look it up online."), user("yes")];
  expect(choose("project", ...offered)).toContain("search_web");
  const longAgo = [user("search the web"), ...Array.from({ length: 8 }, () => user("rename it")), user("yes")];
  expect(choose("project", ...longAgo)).not.toContain("search_web");
});

test("keeps offering a tool that was called recently", () => {
  expect(choose("project", user("go on"), assistant("Done.", "weather"), user("and then?"))).toContain("weather");
});

test("offers a tool named by the user for every profile", () => {
  expect(choose("project", user("@basic granite"))).toContain("search_web");
  expect(choose("project", user("@plan_research"))).toContain("plan_research");
  const profile = { name: "research", tools: ["search_web"] };
  expect(chooseTools({ catalog, profile, exchange: [user("@workingMemory I like tea")] })).toContain("working_memory");
});

test("the result does not depend on the order of the catalog", () => {
  const exchange = [user("remember that I live in Lisbon, then search the news")];
  const profile = { name: "project", tools: null };
  const names = chooseTools({ catalog, profile, exchange });
  expect(chooseTools({ catalog: { ...catalog, specs: catalog.specs.toReversed() }, profile, exchange })).toEqual(names);
  expect(names).toEqual(names.toSorted());
});

describe("with a hundred MCP tools", () => {
  const mcpTools = Array.from({ length: 100 }, (_, n) =>
    createTool(`mcp_shop_${n}`, { description: `Lists articles of shelf ${n}` }),
  );
  const special = createTool("mcp_github_star", { description: "Stars a repository on GitHub" });
  const large = withTools(...mcpTools, special);
  const names = (text: string): readonly string[] =>
    chooseTools({ catalog: large, profile: { name: "stone", tools: null }, exchange: [user(text)] });

  test("offers only the standard tools and the tools most similar to the conversation", () => {
    const offered = names("please star this repository on github");
    expect(offered.length).toBeLessThanOrEqual(26);
    expect(offered).toEqual(expect.arrayContaining(["calculate", "mcp_github_star", "find_tools", "use_tool"]));
  });

  test("tools of a matching group come before MCP tools", () => {
    expect(names("search the latest news on shelf articles")).toContain("search_web");
    expect(names("@mcp_shop_77")).toContain("mcp_shop_77");
  });
});

test("a tool of an MCP server belongs to the group that its name suggests", () => {
  const groupOf = (name: string): string | undefined => toGroup(name).group?.name;
  expect(["mcp__cal__list_events", "mcp__wiki__get_document"].map(groupOf)).toEqual(["project", "project"]);
  expect(["mcp__disk__write_file", "mcp__disk__list_directory"].map(groupOf)).toEqual(["files", "files"]);
  expect(groupOf("mcp__shop__buy")).toBeUndefined();
});

const samples: Readonly<Record<string, readonly string[]>> = {
  web: [
    "What is the latest on the strike?",
    "read https://stone.example/a",
    "Such mir aktuelle Zahlen dazu",
    "Cherche les dernières nouvelles",
    "Busca las últimas noticias",
    "Cerca notizie recenti",
    "Pesquise as notícias de hoje",
    "Найди свежие новости",
    "帮我搜索一下最新消息",
    "最新のニュースを調べて",
    "최신 뉴스를 검색해줘",
  ],
  weather: [
    "Will it rain tomorrow?",
    "Wie wird das Wetter?",
    "Quelle météo ?",
    "¿Qué tiempo hace?",
    "明天天气怎么样",
    "날씨 어때?",
  ],
  memory: [
    "Remember that I like tea",
    "Merk dir meinen Geburtstag",
    "Je m'appelle Ann",
    "Me llamo Ana",
    "Mi chiamo Anna",
    "Запомни, меня зовут Аня",
    "记住我喜欢茶",
    "私の名前はアンです",
    "내 이름은 안이야",
  ],
  project: [
    "Add a task for Friday",
    "Welche Termine habe ich?",
    "Ajoute une tâche",
    "¿Qué reuniones tengo?",
    "Quais são as minhas tarefas?",
    "Какие у меня задачи?",
    "我的日程是什么",
    "予定を教えて",
    "내 일정 알려줘",
  ],
  files: [
    "Open the file",
    "Öffne die Datei",
    "Ouvre le fichier",
    "Abre el archivo",
    "Открой файл",
    "打开文件",
    "ファイルを開いて",
  ],
};
const groups: ReadonlyMap<string, ToolGroup> = new Map(
  builtIn.flatMap(({ group }) => (group ? [[group.name, group]] : [])),
);

test("every group has samples", () => {
  expect([...groups.keys()].toSorted()).toEqual(Object.keys(samples).toSorted());
});

describe.each(Object.entries(samples))("examples of %s", (name, texts) => {
  test.each(texts)("%s", (text) => {
    expect(groups.get(name)!.examples.test(text)).toBe(true);
  });
});

test("ordinary messages match no examples", () => {
  const talk = [
    "Thanks, that helps.",
    "Write a poem about such a stone",
    "Why?",
    "Das ist gut hier.",
    "¡Gracias!",
    "再见",
  ];
  for (const text of talk)
    for (const [name, { examples }] of groups) expect(examples.test(text), `${name}: ${text}`).toBe(false);
});
