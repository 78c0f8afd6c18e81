import { describe, expect, test } from "vitest";
import type { ToolSpec } from "../../protocol/model.ts";
import { groups, type Group } from "./intents.ts";
import { chooseTools, type GateMessage } from "./gate.ts";

const spec = (name: string, description = ""): ToolSpec => ({ name, description, inputSchema: { type: "object" } });
const own = ["calculate", "now", "read_artifact", "working_memory", "weather", "plan_research", "search_web"].map(
  (name) => spec(name),
);
const project = ["create_task", "list_events", "get_document_tree"].map((name) => spec(name));
const ways = ["find_tools", "use_tool"].map((name) => spec(name));
const nameOf = (name: string): string => (name === "make_task" ? "create_task" : name);
const catalog = { specs: [...own, ...project, ...ways], nameOf };
const person = (text: string): GateMessage => ({ role: "user", text });
const assistant = (text: string, ...tools: readonly string[]): GateMessage => ({ role: "assistant", text, tools });
const choose = (name: string, ...exchange: readonly GateMessage[]): readonly string[] =>
  chooseTools({ catalog, profile: { name, tools: null }, exchange });

test("the default job is offered all but what belongs to projects, until that is spoken of or is where the thread stands", () => {
  const named = (specs: readonly ToolSpec[]): readonly string[] => specs.map(({ name }) => name).toSorted();
  expect(choose("stone", person("hello"))).toEqual(named([...own, ...ways]));
  expect(choose("stone", person("add a task"))).toEqual(named([...own, ...project]));
  const inside = { catalog, profile: { name: "stone", tools: null }, inProject: true, exchange: [person("hello")] };
  expect(chooseTools(inside)).toEqual(named([...own, ...project]));
});

test("in a thread of a project its tools are at hand, whatever the job", () => {
  const research = { name: "research", tools: ["search_web"] };
  const exchange = [person("hello")];
  expect(chooseTools({ catalog, profile: research, inProject: true, exchange })).toEqual(
    expect.arrayContaining(["search_web", ...project.map(({ name }) => name)]),
  );
  expect(chooseTools({ catalog, profile: research, exchange })).not.toContain("create_task");
});

test("a builder has the workspace's tools at hand; elsewhere they wait for their words", () => {
  const built = { ...catalog, specs: [...catalog.specs, spec("view_file"), spec("replace_lines")] };
  const offered = (name: string, text: string): readonly string[] =>
    chooseTools({ catalog: built, profile: { name, tools: null }, inProject: true, exchange: [person(text)] });
  expect(offered("builder", "make it green")).toEqual(expect.arrayContaining(["view_file", "replace_lines"]));
  expect(offered("project", "hello")).not.toContain("view_file");
  expect(offered("project", "open the file")).toContain("view_file");
});

test("a job with tools of its own is offered these, and the way to the others", () => {
  const profile = { name: "research", tools: ["plan_research", "search_web", "not_installed"] };
  expect(chooseTools({ catalog, profile, exchange: [person("my calendar")] })).toEqual([
    "find_tools",
    "plan_research",
    "search_web",
    "use_tool",
  ]);
});

test("a profile or an earlier call may name a tool by an alias", () => {
  const profile = { name: "research", tools: ["make_task"] };
  expect(chooseTools({ catalog, profile, exchange: [person("hello")] })).toContain("create_task");
  expect(choose("stone", person("hello"), assistant("done", "make_task"), person("thanks"))).toContain("create_task");
});

test("in a project the web waits until it is spoken of, and the project's tools do not", () => {
  const quiet = choose("project", person("rename the first one"));
  expect(quiet).toEqual(expect.arrayContaining(["create_task", "list_events", "find_tools", "use_tool", "now"]));
  expect(quiet).not.toContain("search_web");
  expect(choose("project", person("search the web for granite"))).toContain("search_web");
});

test("elsewhere the calendar waits until it is spoken of", () => {
  expect(choose("builder", person("make it green"))).not.toContain("list_events");
  expect(choose("builder", person("when is my next meeting?"))).toContain("list_events");
});

test("not the last message alone decides", () => {
  const asked = [person("search the web for granite"), assistant("Shall I?"), person("yes, do it")];
  expect(choose("project", ...asked)).toContain("search_web");
  const offered = [person("hm"), assistant("I could look it up online."), person("yes")];
  expect(choose("project", ...offered)).toContain("search_web");
  const longAgo = [person("search the web"), ...Array.from({ length: 8 }, () => person("rename it")), person("yes")];
  expect(choose("project", ...longAgo)).not.toContain("search_web");
});

test("a tool that is in use stays", () => {
  expect(choose("project", person("go on"), assistant("Done.", "weather"), person("and then?"))).toContain("weather");
});

test("a tool that is named is offered, whatever the job", () => {
  expect(choose("project", person("@basic granite"))).toContain("search_web");
  expect(choose("project", person("@plan_research"))).toContain("plan_research");
  const profile = { name: "research", tools: ["search_web"] };
  expect(chooseTools({ catalog, profile, exchange: [person("@workingMemory I like tea")] })).toContain(
    "working_memory",
  );
});

test("the same exchange gives the same names in the same order, however the catalog is ordered", () => {
  const exchange = [person("remember that I live in Lisbon, then search the news")];
  const profile = { name: "project", tools: null };
  const names = chooseTools({ catalog, profile, exchange });
  expect(chooseTools({ catalog: { nameOf, specs: catalog.specs.toReversed() }, profile, exchange })).toEqual(names);
  expect(names).toEqual(names.toSorted());
});

describe("with a hundred tools of others", () => {
  const foreign = Array.from({ length: 100 }, (_, n) => spec(`mcp_shop_${n}`, `Lists articles of shelf ${n}`));
  const special = spec("mcp_github_star", "Stars a repository on GitHub");
  const large = { nameOf, specs: [...catalog.specs, ...foreign, special] };
  const names = (text: string): readonly string[] =>
    chooseTools({ catalog: large, profile: { name: "stone", tools: null }, exchange: [person(text)] });

  test("few are offered: those always at hand, and those nearest to what is talked about", () => {
    const offered = names("please star this repository on github");
    expect(offered.length).toBeLessThanOrEqual(26);
    expect(offered).toEqual(expect.arrayContaining(["calculate", "mcp_github_star", "find_tools", "use_tool"]));
  });

  test("those whose words were said come before those of others", () => {
    expect(names("search the latest news on shelf articles")).toContain("search_web");
    expect(names("@mcp_shop_77")).toContain("mcp_shop_77");
  });
});

const sayings: Readonly<Record<Group["name"], readonly string[]>> = {
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
const intentOf = (name: Group["name"]): RegExp => groups.find((group) => group.name === name)!.intent;

describe.each(Object.entries(sayings) as [Group["name"], readonly string[]][])("words for %s", (name, texts) => {
  test.each(texts)("%s", (text) => {
    expect(intentOf(name).test(text)).toBe(true);
  });
});

test("ordinary talk calls for nothing", () => {
  const talk = [
    "Thanks, that helps.",
    "Write a poem about such a stone",
    "Why?",
    "Das ist gut hier.",
    "¡Gracias!",
    "再见",
  ];
  for (const text of talk)
    for (const { name, intent } of groups) expect(intent.test(text), `${name}: ${text}`).toBe(false);
});
