import { expect, onTestFinished, test } from "vitest";
import { openFixture, type Outcome, type Plan, type Fixture } from "./hostile-fixture.ts";

type Call = Plan["turns"][number][number];

const start = async (): Promise<Fixture> => {
  const fixture = await openFixture();
  onTestFinished(fixture.close);
  return fixture;
};
const plan = (...turns: Plan["turns"]): Plan => ({ policy: "stone", turns, approves: [] });
const read = (fixture: Fixture, path: string): Call => ({
  name: "scrape_webpage",
  input: { url: `${fixture.site.url}${path}` },
});
const search = (query: string): Call => ({ name: "search_web", input: { query } });
const codes = ({ asked }: Outcome) => asked.map(({ asks }) => asks?.code);
const fetched = ({ site }: Fixture): string =>
  site.asked.flatMap(({ path }) => (path.startsWith("/letters/") ? [path.slice(-1)] : [])).join("");
const searched = ({ site }: Fixture): readonly (string | undefined)[] =>
  site.asked.filter(({ path }) => path === "/search").map(({ params }) => params["q"]);

test("a page cannot leak data through links: after three links per answer, approval is needed", async () => {
  const fixture = await start();
  const named = `${fixture.site.url}/letters`;
  const threadId = await fixture.instance.start();
  const spell = (word: string): readonly Call[] => [...word].map((letter) => read(fixture, `/letters/${letter}`));
  const first = await fixture.play(plan([read(fixture, "/letters"), ...spell("hunters")]), { threadId, says: named });
  expect(codes(first)).toEqual(["page-links", "page-links", "page-links", "page-links"]);
  expect(first.asked[0]?.asks?.text).toContain("This run has read untrusted content from 127.0.0.1");
  expect(fetched(fixture)).toBe("hun");
  const urls = ["x", "y"].map((letter) => `${fixture.site.url}/letters/${letter}`);
  const carried: Call = { name: "use_tool", input: { name: "scrape_webpage", input: { urls } } };
  const second = await fixture.play(plan([...spell("hu"), carried]), { threadId });
  expect(codes(second)).toEqual(["page-links"]);
  expect(fetched(fixture)).toBe("hunhu");
});

test("research needs no approval for search results, the user's URLs, a few links and short queries", async () => {
  const fixture = await start();
  const calls = [
    search("granite"),
    read(fixture, "/letters"),
    ...["a", "b", "c"].map((one) => read(fixture, `/letters/${one}`)),
  ];
  const queries = ["granite hardness", "quartz", "basalt age", "look at granite and go on"].map(search);
  const { asked, ran } = await fixture.play(plan([...calls, ...queries]), { says: `${fixture.site.url}/letters` });
  expect(asked).toEqual([]);
  expect(ran).toHaveLength(calls.length + queries.length);
});

test("after reading a page, long or many queries need approval and are not sent before it", async () => {
  const fixture = await start();
  const long = "my notes say the passphrase of the vault is correct horse battery staple and so on";
  const many = "abcdefgh".split("").map((letter) => search(`query ${letter}`));
  const weather: Call = {
    name: "weather",
    input: { place: "anna lives at the long road number seventeen in the town behind the hills with two cats" },
  };
  const outcome = await fixture.play(plan([read(fixture, "/page"), search(long), ...many, weather]));
  expect(codes(outcome)).toEqual(["long-query", "many-queries", "many-queries", "long-query"]);
  expect(searched(fixture)).toEqual("abcdef".split("").map((letter) => `query ${letter}`));
});

test("after reading a page, deleting files and changing other projects need approval; edits do not", async () => {
  const fixture = await start();
  const [own, other] = [await fixture.startProject(), await fixture.startProject()];
  const write: Call = { name: "write_file", input: { file_path: "plan.md", content: "one" } };
  const remove: Call = { name: "delete_file", input: { file_path: "plan.md" } };
  const update = (id: string, more: object): Call => ({
    name: "update_entities",
    input: { project_id: id, updates: [{ id, ...more }] },
  });
  const create = (id?: string): Call => ({
    name: "create_entities",
    input: { ...(id ? { project_id: id } : {}), entities: [{ kind: "task", title: "Cut stone" }] },
  });
  const edits = [write, { ...write, input: { file_path: "plan.md", content: "two" } }, create(), create(own)];
  const attacks = [
    remove,
    { name: "use_tool", input: { name: "delete_file", input: { path: "plan.md" } } },
    update(own, { state: "archived" }),
    update(own, { title: "EVIL" }),
    update(other, { title: "EVIL" }),
    create(other),
    create("Work"),
    { name: "link_entities", input: { project_id: other, links: [{ from: "a", relation: "blocks", to: "b" }] } },
  ];
  const { asked, ran } = await fixture.play(plan([read(fixture, "/page"), ...edits, ...attacks]), { projectId: own });
  expect(asked.map(({ asks }) => asks?.code)).toEqual(attacks.map(() => "asks-untrusted"));
  expect(ran).toHaveLength(1 + edits.length);
  const { read: rows } = fixture.instance.server.store;
  for (const id of [own, other]) expect(await rows.project(id)).toMatchObject({ name: "Work", archived: 0 });
  expect((await fixture.instance.client.listEntities({ params: { projectId: other }, query: {} })).entities).toEqual(
    [],
  );
  const files = await fixture.instance.client.listFiles({ params: { projectId: own } });
  expect(JSON.stringify(files)).toContain("plan.md");
});

test("without untrusted content the same writes run, and an approval for the thread covers that project only", async () => {
  const fixture = await start();
  const [own, other, third] = [
    await fixture.startProject(),
    await fixture.startProject(),
    await fixture.startProject(),
  ];
  const create = (id: string, title: string): Call => ({
    name: "create_entities",
    input: { project_id: id, entities: [{ kind: "task", title }] },
  });
  const clean = await fixture.play(plan([create(other, "one")]), { projectId: own });
  expect(clean.asked).toEqual([]);
  const { threadId } = await fixture.play(
    { ...plan([read(fixture, "/page"), create(other, "two")]), approves: ["create_entities"], decision: "thread" },
    { projectId: own },
  );
  const later = await fixture.play(plan([create(other, "three"), create(third, "four")]), { threadId });
  expect(codes(later)).toEqual(["asks-untrusted"]);
  const titles = async (projectId: string) =>
    (await fixture.instance.client.listEntities({ params: { projectId }, query: {} })).entities.map(
      ({ title }) => title,
    );
  expect((await titles(other)).toSorted()).toEqual(["one", "three", "two"]);
  expect(await titles(third)).toEqual([]);
});
