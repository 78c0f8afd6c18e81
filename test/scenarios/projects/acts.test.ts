import { expect, test } from "vitest";
import type { BodyInput } from "../../../protocol/api.ts";
import { call, followStream, mintId, say, startInstance, type Instance } from "../../support/instance.ts";

type Op = BodyInput<"act">["ops"][number];

async function openProject(options: Parameters<typeof startInstance>[0] = {}) {
  const instance = await startInstance(options);
  const projectId = mintId("project");
  await instance.client.createProject({ body: { id: projectId, name: "Harbour" } });
  return { ...instance, projectId, act: (...ops: Op[]) => actOn(instance, projectId, ops) };
}

const actOn = ({ client }: Instance, projectId: string, ops: Op[]) =>
  client.act({ params: { projectId }, body: { id: mintId("act"), ops } });

test("a stale write returns conflict with the current entity, and can then be repeated", async () => {
  const { client, url, projectId, act } = await openProject();
  await act({ do: "create", id: "plan", kind: "document", title: "Plan", body: "first" });
  await act({ do: "update", id: "plan", version: 1, body: "second" });
  const late = { id: mintId("act"), ops: [{ do: "update", id: "plan", version: 1, body: "third" }] };
  const response = await fetch(`${url}/api/projects/${projectId}/acts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(late),
  });
  expect(response.status).toBe(409);
  const { error } = (await response.json()) as { error: { code: string; current: { version: number; body: string } } };
  expect(error).toMatchObject({ code: "conflict", current: { id: "plan", version: 2, body: "second" } });
  await act({ do: "update", id: "plan", version: error.current.version, body: "third" });
  const { entity } = await client.getEntity({ params: { projectId, entityId: "plan" } });
  expect(entity).toMatchObject({ body: "third", version: 3 });
});

test("an unknown state is rejected with the valid ones", async () => {
  const { act } = await openProject();
  const attempt = act({ do: "create", id: "t", kind: "task", title: "T", state: "planned" });
  await expect(attempt).rejects.toMatchObject({
    code: "invalid",
    message: 'A task cannot have the state "planned". Valid states: open, active, blocked, done or dropped.',
  });
});

test("every act is in the activity with its author, can be undone and redone, and is on the stream", async () => {
  const { client, url, projectId, act } = await openProject();
  const live = followStream(`${url}/api/projects/${projectId}/stream?after=0`);
  await act({ do: "create", id: "t", kind: "task", title: "Paint" });
  const { act: done } = await act({ do: "update", id: "t", version: 1, state: "done" });
  const stateOf = async () => (await client.getEntity({ params: { projectId, entityId: "t" } })).entity.state;
  const undo = (actId: string) => client.undoAct({ params: { projectId, actId }, body: { id: mintId("undo") } });
  const { act: undone } = await undo(done.id);
  expect(await stateOf()).toBe("open");
  await expect(undo(done.id)).rejects.toMatchObject({ code: "conflict" });
  await undo(undone.id);
  expect(await stateOf()).toBe("done");
  const { acts } = await client.listActs({ params: { projectId } });
  expect(acts.map(({ text, author, undone: isUndone }) => [text, author.by, isUndone])).toEqual([
    ['Redid: Set task "Paint" to done', "person", false],
    ['Undid: Set task "Paint" to done', "person", true],
    ['Set task "Paint" to done', "person", false],
    ['Created task "Paint"', "person", false],
    ['Created the project "Harbour"', "person", false],
  ]);
  await live.until(() => live.rows.length === acts.length);
  live.close();
  const events = live.rows.map(({ seq, event }) => (event.type === "project-acted" ? [seq, event.act.id] : []));
  expect(events).toEqual(acts.toReversed().map(({ seq, id }) => [seq, id]));
  const { acts: ofTask } = await client.listActs({ params: { projectId }, query: { entityId: "t" } });
  expect(ofTask).toHaveLength(4);
});

test("everything that a run did is undone at once, newest first, and only if unchanged since", async () => {
  const steps = [
    call({ name: "create_entities", input: '{"entities":[{"kind":"task","title":"Made by the run"}]}' }),
    call({ name: "update_entities", input: '{"updates":[{"id":"old","state":"done"}]}' }),
    say("done"),
  ];
  const { client, start, send, follow, projectId, act } = await openProject({ script: (_, n) => steps[n % 3]! });
  await act({ do: "create", id: "old", kind: "task", title: "Old" });
  const threadId = await start({ profile: "project", projectId });
  const live = follow(threadId);
  await send(threadId, "do it");
  const { id: runId } = await live.ended();
  const { acts } = await client.listActs({ params: { projectId }, query: { runId } });
  expect(acts.map(({ author }) => author)).toEqual([
    { by: "run", threadId, runId },
    { by: "run", threadId, runId },
  ]);
  const undoRun = () => client.undoRun({ params: { projectId, runId }, body: { id: mintId("undo") } });
  await act({ do: "update", id: "old", version: 2, state: "open" });
  await expect(undoRun()).rejects.toMatchObject({ code: "conflict" });
  expect((await client.listEntities({ params: { projectId } })).total).toBe(2);
  await act({ do: "update", id: "old", version: 3, state: "done" });
  const { act: undone } = await undoRun();
  expect(undone).toMatchObject({ text: "Undid: 2 acts of a run", undoes: acts.map(({ id }) => id).join(" ") });
  const { entities } = await client.listEntities({ params: { projectId } });
  expect(entities.map(({ title, state }) => [title, state])).toEqual([["Old", "open"]]);
  await expect(undoRun()).rejects.toMatchObject({ code: "conflict" });
  await client.undoAct({ params: { projectId, actId: undone.id }, body: { id: mintId("redo") } });
  expect((await client.listEntities({ params: { projectId } })).total).toBe(2);
});

test("lists by kind, state, words of any script and time, in stable pages", async () => {
  const { client, projectId, act } = await openProject();
  const titles = ["Paint the hull", "Peindre la coque dépolie", "Окрасить корпус", "船体を塗装する", "Caulk"];
  await act(...titles.map((title, n): Op => ({ do: "create", id: `t${n}`, kind: "task", title })));
  const event = { do: "create", kind: "event", startsAt: 1000, endsAt: 2000 } as const;
  await act(
    { ...event, id: "e1", title: "Launch" },
    { ...event, id: "e2", title: "Later", startsAt: 5000, endsAt: 6000 },
  );
  const list = async (query: object) => {
    const { entities, total } = await client.listEntities({ params: { projectId }, query });
    return { ids: entities.map(({ id }) => id), total };
  };
  expect(await list({ q: "depol" })).toEqual({ ids: ["t1"], total: 1 });
  expect(await list({ q: "корп окра" })).toEqual({ ids: ["t2"], total: 1 });
  expect(await list({ q: "塗装" })).toEqual({ ids: ["t3"], total: 1 });
  expect(await list({ q: "!!!" })).toEqual({ ids: [], total: 0 });
  expect(await list({ kind: "event", from: 1500, to: 4000 })).toEqual({ ids: ["e1"], total: 1 });
  expect(await list({ kind: "task", state: "done" })).toEqual({ ids: [], total: 0 });
  for (const sort of ["position", "updated", "due", "priority", "title"] as const) {
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { sort, limit: 2, ...(cursor ? { cursor } : {}) };
      const page = await client.listEntities({ params: { projectId }, query });
      expect(page.total).toBe(7 + (seen.length > 2 ? 1 : 0));
      seen.push(...page.entities.map(({ id }) => id));
      cursor = page.nextCursor;
      if (seen.length === 4)
        await act({ do: "create", id: `late-${sort}`, kind: "note", title: "zz", priority: "low" });
    } while (cursor);
    expect(new Set(seen).size, sort).toBe(seen.length);
    expect(seen.filter((id) => !id.startsWith("late")).toSorted()).toEqual(["e1", "e2", "t0", "t1", "t2", "t3", "t4"]);
    const { entity } = await client.getEntity({ params: { projectId, entityId: `late-${sort}` } });
    await act({ do: "delete", id: entity.id, version: entity.version });
  }
  await expect(list({ cursor: "nonsense" })).rejects.toMatchObject({ code: "invalid" });
});
