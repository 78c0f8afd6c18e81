import { expect, test } from "vitest";
import { textOf } from "../../../protocol/fold.ts";
import { mintId, startInstance } from "../../support/instance.ts";
import { toolParts } from "../../support/server/loop-tools.ts";

/** A user without an API key, on the offline model. */
const talkOffline = async (profile: "project" | "builder" | "stone", hasProject = true) => {
  const {
    url: origin,
    client,
    start,
    send,
    follow,
  } = await startInstance({ env: { STONECHAT_MODEL: "offline/stone" } });
  const projectId = mintId("project");
  if (hasProject) await client.createProject({ body: { id: projectId, name: "Harbour" } });
  const threadId = await start({ profile, model: "offline/stone", ...(hasProject ? { projectId } : {}) });
  const live = follow(threadId);
  let count = 0;
  return {
    origin,
    client,
    live,
    threadId,
    projectId,
    say: async (text: string): Promise<string> => {
      await send(threadId, text);
      await live.ended((count += 1));
      return textOf(live.view().messages.at(-1)!.parts);
    },
  };
};

test("a project is managed by plain requests", async () => {
  const { say, client, projectId, live, threadId } = await talkOffline("project");
  expect(await say("add a high priority task to order granite by 2020-01-02")).toContain("**order granite** (task)");
  expect(await say("Add a task: fetch sand")).toContain("fetch sand");
  expect(await say("add an event on 2026-11-20 Site visit")).toContain("2026-11-20");
  expect(await say("write a document called Offer with Granite costs 90 a ton.")).toContain("Offer");
  expect(await say("list my tasks")).toMatch(/order granite[^]*|fetch sand/);
  expect(await say("what is overdue?")).toContain("due 2020-01-02, overdue");
  expect(await say("mark fetch sand done")).toContain("**fetch sand** (task): done");
  expect(await say("mark sugar done")).toContain("Nothing in the project matches “sugar”");
  expect(await say("show me the document tree")).toContain("- Offer [document-");
  const { entities } = await client.listEntities({ params: { projectId }, query: { sort: "title" } });
  expect(entities.map(({ kind, title, state }) => `${kind} ${title} ${state}`)).toEqual([
    "task fetch sand done",
    "document Offer draft",
    "task order granite open",
    "event Site visit planned",
  ]);
  const asked = say("delete the task order granite");
  await live.until(({ run }) => run?.state === "waiting");
  const { id: partId } = toolParts(live).at(-1)!;
  await client.decideCall({ params: { threadId }, body: { id: mintId(), partId, decision: "once" } });
  expect(await asked).toContain("order granite");
  expect((await client.listEntities({ params: { projectId }, query: { kind: "task" } })).total).toBe(1);
});

test("if several entities match, none is changed and the user is asked which one", async () => {
  const { say, client, projectId } = await talkOffline("project");
  await say("add a task to order red granite");
  await say("add a task to order grey granite");
  expect(await say("mark order granite done")).toMatch(
    /Several things match[^]*red granite[^]*grey granite|Several things match/,
  );
  const { entities } = await client.listEntities({ params: { projectId }, query: {} });
  expect(entities.map(({ state }) => state)).toEqual(["open", "open"]);
});

test("creates a project in a thread without one", async () => {
  const { say, client } = await talkOffline("stone", false);
  expect(await say("create a project called Quarry")).toContain("Quarry");
  const { projects } = await client.listProjects({ query: {} });
  expect(projects.map(({ name }) => name)).toEqual(["Quarry"]);
  expect(await say("list my projects")).toContain("**Quarry**");
});

test("undoing an answer that created a project archives it, or only undoes the rest if the user changed the project", async () => {
  const { say, client, live } = await talkOffline("stone", false);
  await say("start a project called Garden and add a task to buy seeds");
  const { projects } = await client.listProjects({ query: {} });
  const projectId = projects[0]?.id ?? "";
  const { acts } = await client.listActs({ params: { projectId }, query: {} });
  expect(acts.map(({ text }) => text).toReversed()[0]).toBe('Created the project "Garden"');
  expect(acts).toHaveLength(2);
  const runId = live.view().run?.id ?? "";
  const undo = () => client.undoRun({ params: { projectId, runId }, body: { id: mintId("undo") } });
  const read = async () => {
    const { project } = await client.getProject({ params: { projectId } });
    const { entities } = await client.listEntities({ params: { projectId }, query: {} });
    return { archived: project.archived, titles: entities.map(({ title }) => title) };
  };
  const { act } = await undo();
  expect(await read()).toEqual({ archived: true, titles: [] });
  await client.undoAct({ params: { projectId, actId: act.id }, body: { id: mintId("redo") } });
  expect(await read()).toEqual({ archived: false, titles: ["buy seeds"] });

  const ops = [{ do: "create", id: mintId("task"), kind: "task", title: "Dig" }] as const;
  await client.act({ params: { projectId }, body: { id: mintId("act"), ops: [...ops] } });
  await undo();
  expect(await read()).toEqual({ archived: false, titles: ["Dig"] });
  await expect(undo()).rejects.toMatchObject({ code: "conflict" });
});

test("writes a page that runs in a workspace, shows it and renames it", async () => {
  const { say, client, projectId, origin } = await talkOffline("builder");
  const answer = await say("create a page called Tide table with a counter");
  expect(answer).toContain("src/App.tsx");
  const { files } = await client.listFiles({ params: { projectId }, query: {} });
  expect(files.map(({ path }) => path).toSorted()).toEqual(["index.html", "src/App.tsx", "src/main.tsx"]);
  const { url } = await client.openPreview({ params: { projectId }, body: {} });
  const page = await (await fetch(new URL(url, origin))).text();
  const scripts = [...page.matchAll(/<script[^>]* src="([^"]+)"/g)].map(
    ([, src = ""]) => new URL(src, new URL(url, origin)),
  );
  const built = await Promise.all(scripts.map(async (script) => (await fetch(script)).text()));
  expect(page).toContain("<title>Tide table</title>");
  expect(built.some((code) => code.includes("Tide table") && code.includes("createRoot"))).toBe(true);
  expect(await say("show me src/App.tsx")).toContain("Tide table");
  await say("rename src/App.tsx to src/Page.tsx");
  const after = await client.listFiles({ params: { projectId }, query: {} });
  expect(after.files.map(({ path }) => path)).toContain("src/Page.tsx");
});
