import { describe, expect, test } from "vitest";
import type { ToolSpec } from "../../../protocol/model.ts";
import { findWish } from "./find-wish.ts";

const names = ["calculate", "now", "read_artifact", "scrape_webpage", "search_web", "weather", "working_memory"];
const tools: readonly ToolSpec[] = names.map((name) => ({ name, description: "", inputSchema: {} }));
const system =
  'You are Stonechat.\n\nWhat is remembered about the person:\nname: "Ann"\nnotes: "I like tea\\nThe door is red"';

const wish = (text: string, known = system) => findWish(text, known, tools);
const input = (text: string) => {
  const found = wish(text);
  return found?.kind === "call" ? [found.tool, found.input] : [found?.kind];
};
const subject = (text: string) => {
  const found = wish(text);
  return found?.kind === "research" ? found.subject : found;
};
const change = (text: string) => {
  const found = wish(text);
  const { changes } = (found?.kind === "call" ? found.input : {}) as { changes?: readonly Record<string, string>[] };
  return changes?.map(({ field, op, value }) => [field, op, value]);
};

describe("looking something up on the web", () => {
  test.each([
    ["search for granite quarries", "granite quarries"],
    ["Can you look up the tidal range at Saint-Malo?", "the tidal range at Saint-Malo"],
    ["research the history of Bergen, please", "the history of Bergen"],
    ["Find out who built the Eiffel Tower", "who built the Eiffel Tower"],
    ["latest news about fusion energy", "fusion energy"],
    ["What's the latest on the Artemis program?", "the Artemis program"],
    ["What does the web say about standing desks?", "standing desks"],
    ["Such mir bitte im Internet nach Granit", "Granit"],
    ["Kannst du nach Granit suchen?", "Granit"],
    ["recherchiere die Geschichte von Bergen", "die Geschichte von Bergen"],
    ["Was gibt es Neues zu Artemis?", "Artemis"],
    ["was sagt das Internet zu Stehpulten?", "Stehpulten"],
    ["cherche des informations sur le granit", "le granit"],
    ["dernières nouvelles sur la fusion", "la fusion"],
    ["que dit internet sur le granit ?", "le granit"],
    ["busca información sobre el granito", "el granito"],
    ["¿Qué dice internet sobre el granito?", "el granito"],
    ["cerca informazioni sul granito", "granito"],
    ["cosa dice internet del granito?", "granito"],
    ["найди информацию о граните", "граните"],
    ["последние новости о термояде", "термояде"],
    ["帮我查一下上海的历史", "上海的历史"],
    ["关于核聚变的最新新闻", "核聚变"],
    ["ベルゲンの歴史について調べてください", "ベルゲンの歴史"],
    ["核融合の最新ニュースは？", "核融合"],
  ])("%j looks up %j", (text, what) => expect(subject(text)).toBe(what));

  test.each([
    "I searched for my keys",
    "I am searching for my keys.",
    "Research shows that coffee is good.",
    "Search engines are useful.",
    "Ich suche meine Schlüssel.",
    "The news was bad today.",
    "Mail search@example.org",
    "J'ai cherché mes clés.",
    "Я искал ключи.",
    "我昨天搜索了半天",
  ])("%j does not", (text) => expect(wish(text)).toBeUndefined());
});

describe("the weather", () => {
  test.each([
    ["What's the weather in Bergen?", "Bergen"],
    ["weather in New York today", "New York"],
    ["What is the weather like tomorrow in Paris, France?", "Paris, France"],
    ["Will it rain in Bergen tomorrow?", "Bergen"],
    ["Wie wird morgen das Wetter in Köln?", "Köln"],
    ["Regnet es in Hamburg?", "Hamburg"],
    ["Quel temps fait-il à Lyon ?", "Lyon"],
    ["météo à Paris demain", "Paris"],
    ["¿Qué tiempo hace en Madrid?", "Madrid"],
    ["¿Cómo está el clima en Lima hoy?", "Lima"],
    ["Che tempo fa a Roma?", "Roma"],
    ["Какая сегодня погода в Осло?", "Осло"],
    ["今天上海的天气怎么样？", "上海"],
    ["東京の天気は？", "東京"],
  ])("%j is about %j", (text, place) => expect(input(text)).toEqual(["weather", { place }]));

  test.each(["the weather was nice", "The weather in Rome was nice.", "Das Wetter war schön.", "Rain is wet."])(
    "%j tells something",
    (text) => expect(wish(text)).toBeUndefined(),
  );

  test("without a place it is the one that is remembered, or the person is asked", () => {
    const known = 'What is remembered about the person:\nlocation: "Saint-Malo"';
    expect(wish("What is the weather today?", known)).toMatchObject({ input: { place: "Saint-Malo" } });
    expect(wish("What is the weather today?")).toMatchObject({ kind: "ask", tool: "weather" });
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
    ["Wie viel ist 12 mal 7?", "12 * 7"],
    ["combien font 12 fois 7 ?", "12 * 7"],
    ["¿Cuánto es el 15% de 80?", "15% of 80"],
    ["quanto fa 12 per 7?", "12 * 7"],
    ["сколько будет 12 умножить на 7?", "12 * 7"],
    ["12*7等于多少？", "12*7"],
    ["12*7は？", "12*7"],
  ])("%j is %j", (text, expression) => expect(input(text)).toEqual(["calculate", { expression }]));

  test.each(["What is 9/11?", "What is 2024?", "555-1234", "2024-05-01", "I have 3 dogs + 2 cats", "What is love?"])(
    "%j is none",
    (text) => expect(wish(text)).toBeUndefined(),
  );
});

describe("the clock", () => {
  test.each([
    ["What time is it?", {}],
    ["What time is it in Tokyo?", { timeZone: "Asia/Tokyo" }],
    ["Wie spät ist es in New York?", { timeZone: "America/New_York" }],
    ["现在几点？", {}],
  ])("%j gives %j", (text, given) => expect(input(text)).toEqual(["now", given]));
});

describe("memory", () => {
  test.each([
    ["remember that I like tea", "preferences", "append", "I like tea"],
    ["Please remember my birthday is May 3", "notes", "append", "my birthday is May 3"],
    ["Remember: my name is Bo", "name", "replace", "Bo"],
    ["My name is Bo", "name", "replace", "Bo"],
    ["I live in Bergen.", "location", "replace", "Bergen"],
    ["I'm 34 years old", "age", "replace", "34"],
    ["Merk dir, dass ich in Köln wohne", "location", "replace", "Köln"],
    ["Ich heiße Bo", "name", "replace", "Bo"],
    ["Retiens que j'aime le thé", "preferences", "append", "j'aime le thé"],
    ["recuerda que me gusta el té", "preferences", "append", "me gusta el té"],
    ["mi chiamo Bo", "name", "replace", "Bo"],
    ["запомни, что я люблю чай", "preferences", "append", "я люблю чай"],
    ["记住我喜欢茶", "preferences", "append", "我喜欢茶"],
    ["私の名前は花子です", "name", "replace", "花子"],
    ["forget my name", "name", "remove", undefined],
    ["vergiss meinen Namen", "name", "remove", undefined],
    ["忘记我的名字", "name", "remove", undefined],
    ["forget the door", "notes", "remove", "The door is red"],
  ])("%j changes %s", (text, ...changed) => expect(change(text)).toEqual([changed]));

  test("to forget everything is to remove each field that holds something", () => {
    expect(change("Forget everything about me")).toEqual([
      ["name", "remove", undefined],
      ["notes", "remove", undefined],
    ]);
  });

  test("what is not there is not forgotten: what is there is looked up", () => {
    expect(change("forget the colour of my bicycle")).toEqual([]);
  });

  test.each(["What do you know about me?", "Was weißt du über mich?", "你记得我什么？"])("%j looks it up", (text) =>
    expect(input(text)).toEqual(["working_memory", {}]),
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
  ])("%j changes nothing", (text) => expect(wish(text)).toBeUndefined());
});

describe("reading", () => {
  test.each([
    "open [3]",
    "show source 3",
    "Öffne Quelle 3",
    "ouvre [3]",
    "abre la fuente 3",
    "открой источник 3",
    "打开来源3",
  ])("%j opens what is kept", (text) => expect(input(text)).toEqual(["read_artifact", { ref: 3 }]));

  test("words say what to look for in it", () => {
    expect(input("read [12] about spring tides")).toEqual(["read_artifact", { ref: 12, find: "spring tides" }]);
  });

  test.each([
    "Summarize https://a.example/b.",
    "https://a.example/b",
    "Fasse https://a.example/b zusammen",
    "总结 https://a.example/b",
  ])("%j reads the page", (text) => expect(input(text)).toEqual(["scrape_webpage", { urls: ["https://a.example/b"] }]));

  test.each([
    "My site is https://a.example/b",
    "I read https://a.example/b yesterday.",
    "ann@a.example",
    "page [3] was nice",
  ])("%j reads nothing", (text) => expect(wish(text)).toBeUndefined());
});

test("a long text is no request, and takes no long time", () => {
  expect(wish(`search for ${"granite ".repeat(5000)}`)).toBeUndefined();
});
