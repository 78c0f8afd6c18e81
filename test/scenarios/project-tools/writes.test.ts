import { expect, test } from "vitest";
import type { Response } from "../../../protocol/api.ts";
import { call, mintId, say, startInstance, type Instance } from "../../support/instance.ts";
import { toolParts } from "../../support/server/loop-tools.ts";

type Call = readonly [name: string, input: object];
type Steps = readonly (readonly Call[])[];

/** A project, a thread in it, and a model that makes these calls, one step after the other, then answers. */
const startProject = async (steps: (ids: readonly string[]) => Steps, profile: "project" | "stone" = "project") => {
  const prompts: string[] = [];
  const ids: string[] = [];
  const instance = await startInstance({
    script: (request) => {
      prompts.push(JSON.stringify(request.messages));
      for (const message of request.messages) {
        if (message.role !== "tool") continue;
        for (const { text } of message.results) {
          for (const [, id = ""] of text.matchAll(/"id":"((?:task|document|goal|event)-\w+)"/g))
            if (!ids.includes(id)) ids.push(id);
        }
      }
      const made = request.messages.filter(({ role }) => role === "tool").length;
      const step = steps(ids)[made];
      return step ? call(...step.map(([name, input]) => ({ name, input: JSON.stringify(input) }))) : say("done");
    },
  });
  const projectId = mintId("project");
  await instance.client.createProject({ body: { id: projectId, name: "Harbour" } });
  const threadId = await instance.start({ profile, projectId });
  const live = instance.follow(threadId);
  await instance.send(threadId, "go");
  return { ...instance, prompts, projectId, threadId, live };
};

const list = async (
  { client }: Pick<Instance, "client">,
  projectId: string,
): Promise<Response<"listEntities">["entities"]> =>
  (await client.listEntities({ params: { projectId }, query: {} })).entities;
const task = (title: string, more: object = {}) => ({ kind: "task", title, ...more });
const add = (...entities: readonly object[]): Call => ["create_entities", { entities }];

test("a model's write is in the rows, in the activity with its author, and on the project's stream", async () => {
  const started = await startProject(([id]) => [
    [add(task("Order granite", { ends: "2026-11-20", priority: "high" }))],
    [["update_entities", { updates: [{ id, state: "active", append: "From Bergen." }] }]],
  ]);
  const { live, client, projectId, threadId } = started;
  const run = await live.ended();
  expect(run.outcome).toBe("done");
  expect(toolParts(live).map(({ state, errorText }) => [state, errorText])).toEqual([
    ["ok", undefined],
    ["ok", undefined],
  ]);
  expect(await list(started, projectId)).toMatchObject([
    { title: "Order granite", state: "active", priority: "high", version: 2, endsAt: Date.UTC(2026, 10, 21) - 1 },
  ]);
  const { acts } = await client.listActs({ params: { projectId }, query: { limit: 10 } });
  expect(acts.slice(0, 2).map(({ author }) => author)).toEqual([
    { by: "run", threadId, runId: run.id },
    { by: "run", threadId, runId: run.id },
  ]);
  const [part] = toolParts(live);
  expect(part).toMatchObject({ title: "Add task “Order granite”", input: { project_id: projectId } });
  expect(JSON.stringify(part!.gist ?? "")).toContain("task-");
});

test("a write is in the next step's prompt", async () => {
  const { live, prompts } = await startProject(() => [
    [add(task("Order granite"))],
    [["list_entities", { kinds: ["task"] }]],
  ]);
  await live.ended();
  expect(prompts[0]).not.toContain("Order granite");
  expect(prompts[1]).toContain("Order granite");
  expect(prompts[2]).toMatch(/\\?"total\\?":1/);
});

test("writes of one step to one project run in order and all succeed", async () => {
  const titles = Array.from({ length: 6 }, (_, n) => `Stone ${n}`);
  const started = await startProject(() => [titles.map((title) => add(task(title)))]);
  await started.live.ended();
  expect(toolParts(started.live).map(({ state }) => state)).toEqual(titles.map(() => "ok"));
  const rows = await list(started, started.projectId);
  expect(rows.toSorted((a, b) => a.position - b.position).map(({ title }) => title)).toEqual(titles);
});

test("an invalid call gets an error and its siblings still run", async () => {
  const started = await startProject(() => [
    [
      add(task("Good")),
      add(task("Bad", { state: "flying" })),
      ["list_entities", { from: "soon" }],
      add(task("Better")),
    ],
  ]);
  await started.live.ended();
  expect(toolParts(started.live).map(({ state }) => state)).toEqual(["ok", "error", "error", "ok"]);
  expect(started.prompts[1]).toContain("A task cannot have the state");
  expect(started.prompts[1]).toContain("a date is written like");
  expect((await list(started, started.projectId)).map(({ title }) => title).toSorted()).toEqual(["Better", "Good"]);
});

test.each(["once", "deny"] as const)("a delete waits for approval: %s", async (decision) => {
  const started = await startProject(([id]) => [[add(task("Order granite"))], [["delete_entities", { ids: [id] }]]]);
  const { live, client, threadId, projectId } = started;
  await live.until(({ run }) => run?.state === "waiting");
  const asking = toolParts(live).at(-1)!;
  expect(asking).toMatchObject({
    name: "delete_entities",
    title: "Delete the task “Order granite”?",
    state: "asking",
    // For pages in other languages.
    titleSentences: [{ name: "asks-items", values: [[{ name: "item-named", values: ["task", "Order granite"] }]] }],
    asks: { code: "destroys", text: "You can undo it.", sentences: [{ name: "asks-undoable", values: [] }] },
  });
  expect(await list(started, projectId)).toHaveLength(1);
  await client.decideCall({ params: { threadId }, body: { id: mintId(), partId: asking.id, decision } });
  await live.ended();
  expect(await list(started, projectId)).toHaveLength(decision === "deny" ? 1 : 0);
  expect(toolParts(live).at(-1)?.state).toBe(decision === "deny" ? "denied" : "ok");
});

test("a delete of an unknown id fails without asking the user", async () => {
  const { live, prompts } = await startProject(() => [[["delete_entities", { ids: ["unknown"] }]]]);
  await live.ended();
  expect(toolParts(live)).toMatchObject([{ state: "error", errorText: expect.stringContaining("unknown") }]);
  expect(prompts[1]).toContain("Not in this project: unknown.");
});

test("a large write waits for approval and is then written whole", async () => {
  const many = Array.from({ length: 20 }, (_, n) => task(`Stone ${n}`));
  const started = await startProject(() => [[add(...many)]]);
  const { live, client, threadId, projectId } = started;
  await live.until(({ run }) => run?.state === "waiting");
  const [asking] = toolParts(live);
  expect(asking).toMatchObject({ state: "asking", asks: { text: "It writes 20 entities at once." } });
  expect(await list(started, projectId)).toHaveLength(0);
  await client.decideCall({ params: { threadId }, body: { id: mintId(), partId: asking!.id, decision: "once" } });
  await live.ended();
  expect(await list(started, projectId)).toHaveLength(20);
});

test("a project's threads offer its tools with the project filled in; elsewhere errors list the projects", async () => {
  const tree: Call = ["get_entity", { tree: true }];
  const { live, projectId } = await startProject(
    () => [[add({ kind: "document", title: "Handbook" })], [tree]],
    "stone",
  );
  await live.ended();
  expect(toolParts(live)[1]).toMatchObject({ state: "ok", input: { project_id: projectId, tree: true } });
  expect(JSON.stringify(toolParts(live)[1]?.output)).toContain("- Handbook [document-");

  const offered: string[] = [];
  const { client, start, send, follow } = await startInstance({
    script: (request, index) => {
      offered.push(request.tools.map(({ name }) => name).join());
      return index === 0 ? call({ name: "get_entity", input: '{"tree":true}' }) : say("done");
    },
  });
  await client.createProject({ body: { id: "p-1", name: "Quay" } });
  const threadId = await start();
  const other = follow(threadId);
  await send(threadId, "hello");
  await other.ended();
  expect(offered[0]).not.toContain("list_entities");
  expect(toolParts(other)[0]).toMatchObject({ state: "error", errorText: expect.stringContaining("p-1 (Quay)") });
});

test("the user undoes everything that a run wrote at once", async () => {
  const started = await startProject(([id]) => [
    [add(task("One"), task("Two"))],
    [["update_entities", { updates: [{ id, title: "Uno" }] }], add(task("Three"))],
  ]);
  const { id: runId } = await started.live.ended();
  expect(await list(started, started.projectId)).toHaveLength(3);
  await started.client.undoRun({ params: { projectId: started.projectId, runId }, body: { id: mintId() } });
  expect(await list(started, started.projectId)).toHaveLength(0);
});
