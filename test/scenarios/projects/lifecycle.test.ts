import { expect, test } from "vitest";
import { projectTables } from "../../../server/store/schema.ts";
import { followStream, mintId, startInstance } from "../../support/instance.ts";

test("a project is created once, changed by version and archived", async () => {
  const { client, url } = await startInstance();
  const person = followStream(`${url}/api/stream?after=0`);
  const id = mintId("project");
  const body = { id, name: "Harbour", instructions: "Metric units." };
  const first = await client.createProject({ body });
  expect(await client.createProject({ body })).toEqual(first);
  await expect(client.createProject({ body: { ...body, name: "Other" } })).rejects.toMatchObject({ code: "conflict" });
  const change = (version: number, fields: object) =>
    client.changeProject({ params: { projectId: id }, body: { id: mintId("act"), version, ...fields } });
  const renamed = await change(1, { name: "Old harbour" });
  expect(renamed).toMatchObject({ name: "Old harbour", version: 2, instructions: "Metric units." });
  await expect(change(1, { name: "Late" })).rejects.toMatchObject({ code: "conflict" });
  await change(2, { archived: true });
  expect((await client.listProjects({})).projects).toEqual([]);
  const { projects } = await client.listProjects({ query: { archived: "true" } });
  expect(projects).toMatchObject([{ id, archived: true, version: 3 }]);
  const { acts } = await client.listActs({ params: { projectId: id } });
  expect(acts.map(({ text }) => text)).toEqual([
    "Archived the project",
    "Changed the project's name",
    'Created the project "Harbour"',
  ]);
  await client.undoAct({ params: { projectId: id, actId: acts[0]!.id }, body: { id: mintId("undo") } });
  expect((await client.listProjects({})).projects).toMatchObject([{ id, version: 4 }]);
  await person.until(() => person.rows.filter(({ event }) => event.type === "project-changed").length === 4);
  person.close();
});

test("deleting a project deletes its contents; its threads stay without a project", async () => {
  const { client, url, server, start, follow } = await startInstance();
  const person = followStream(`${url}/api/stream?after=0`);
  const projectId = mintId("project");
  await client.createProject({ body: { id: projectId, name: "Harbour", instructions: "Never say quay." } });
  const create = { do: "create", id: "t", kind: "task", title: "Paint" } as const;
  const also = { do: "create", id: "u", kind: "task", title: "Tar" } as const;
  const link = { do: "link", sourceId: "t", targetId: "u", relation: "blocks" } as const;
  await client.act({ params: { projectId }, body: { id: mintId("act"), ops: [create, also, link] } });
  const write = { do: "write", path: "a.txt", was: null, text: "x" } as const;
  await client.writeFiles({ params: { projectId }, body: { id: mintId("act"), ops: [write] } });
  const inside = await start({ projectId });
  const outside = await start();
  await client.changeThread({
    params: { threadId: inside },
    body: { id: mintId("change"), focusId: "t", mode: "focus" },
  });
  const { threads: own } = await client.listThreads({ query: { projectId } });
  expect(own.map(({ id }) => id)).toEqual([inside]);
  const live = follow(inside);
  await client.deleteProject({ params: { projectId } });
  for (const call of [
    client.getProject({ params: { projectId } }),
    client.listEntities({ params: { projectId } }),
    client.listThreads({ query: { projectId } }),
    client.deleteProject({ params: { projectId } }),
  ]) {
    await expect(call).rejects.toMatchObject({ code: "not-found" });
  }
  for (const [id, status] of [
    [projectId, 404],
    ["nowhere", 404],
    ["not.an.id", 400],
  ] as const) {
    expect((await fetch(`${url}/api/projects/${id}/stream`)).status, id).toBe(status);
  }
  const { threads } = await client.listThreads({});
  expect(threads.map(({ id, projectId: of, focusId, mode }) => [id, of, focusId, mode]).toSorted()).toEqual(
    [inside, outside].toSorted().map((id) => [id, null, null, null]),
  );
  const gone = { type: "project-changed", projectId, project: null };
  await person.until(() => person.rows.some(({ event }) => JSON.stringify(event) === JSON.stringify(gone)));
  await live.until(() => live.rows.some(({ event }) => event.type === "thread-changed" && event.patch.mode === null));
  person.close();
  const left = await Promise.all(projectTables.map((table) => server.store.read.countOfProject(table, projectId)));
  expect(left).toEqual(projectTables.map(() => 0));
  const again = followStream(`${url}/api/stream?after=0`);
  await again.until(() => again.rows.some(({ event }) => JSON.stringify(event) === JSON.stringify(gone)));
  again.close();
  expect(JSON.stringify(again.rows)).not.toContain("Never say quay");
  const anew = client.createProject({ body: { id: projectId, name: "Harbour" } });
  await expect(anew).rejects.toMatchObject({ code: "conflict" });
});

test("a thread whose focus was deleted can still be renamed and moved", async () => {
  const { client, start } = await startInstance();
  const projectId = mintId("project");
  await client.createProject({ body: { id: projectId, name: "Harbour" } });
  const act = (op: object) => client.act({ params: { projectId }, body: { id: mintId("act"), ops: [op as never] } });
  await act({ do: "create", id: "t", kind: "task", title: "Paint" });
  const threadId = await start({ projectId, focusId: "t" });
  await act({ do: "delete", id: "t", version: 1 });
  const change = (patch: object) =>
    client.changeThread({ params: { threadId }, body: { id: mintId("change"), ...patch } });
  await change({ title: "Still ours" });
  await change({ focusId: null });
  const { thread } = await client.getThread({ params: { threadId } });
  expect(thread).toMatchObject({ title: "Still ours", projectId, focusId: null });
  await expect(change({ focusId: "t" })).rejects.toMatchObject({ code: "not-found" });
});
