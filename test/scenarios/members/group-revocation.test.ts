import { expect, test } from "vitest";
import { accountsOn, watchStream } from "../../support/accounts/accounts-instance.ts";
import { createGroup } from "../../support/accounts/groups.ts";
import { ask, shareProject, statusOf, type SharedProject } from "../../support/accounts/shared-project.ts";
import { call, createGate, say, type Instance } from "../../support/instance.ts";
import { tool } from "../../support/server/loop-tools.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const cutWithinMs = process.env["STONECHAT_DEEP"] ? 5_000 : 20_000;
const env = accountsOn;
const threadId = "shared";
type Node = Instance & { readonly databaseUrl: string };
type Options = Parameters<Parameters<Parameters<typeof describeOnBoth>[1]>[0]>[0];

/** Three ways in which a user loses the access of a group. All are requests of an admin who owns the project. */
const ways: readonly (readonly [name: string, revoke: (shared: SharedProject) => Promise<unknown>])[] = [
  [
    "removing a user from a group",
    ({ ada, dee }) => ada.client.removeGroupPerson({ params: { groupId: "writers", userId: dee.userId } }),
  ],
  ["deleting a group", ({ ada }) => ada.client.deleteGroup({ params: { groupId: "writers" } })],
  [
    "removing a group from a project",
    ({ ada, projectId }) => ada.client.removeProjectGroup({ params: { projectId, groupId: "writers" } }),
  ],
];

describeOnBoth("losing access through a group", (start, kind) => {
  const startNodes = async (options: Options = {}): Promise<readonly [Node, Node]> => {
    const first = await start({ ...options, env });
    return kind === "sqlite" ? [first, first] : [first, await start({ ...options, env }, first.databaseUrl)];
  };

  test.each(ways)("%s cuts open streams on both nodes, stops answers and withdraws messages", async (_, revoke) => {
    const [reached, removed] = [createGate(), createGate()];
    const ran: string[] = [];
    const wait = tool({
      name: "wait",
      execute: async (_, { userId }) => {
        ran.push(userId);
        reached.open();
        await removed.passed;
        return { output: "done" };
      },
    });
    const [first, second] = await startNodes({
      tools: [wait],
      script: (request) => {
        const last = request.messages.at(-1);
        const isAsked = last?.role === "tool" || JSON.stringify(last).includes("Go");
        return isAsked && request.tools.length > 0 ? call({ name: "wait", input: '{"q":"x"}' }) : say("An answer.");
      },
    });
    const shared = await shareProject(second);
    const { ada, bob, dee, projectId } = shared;
    // Bob is in the group, too, and keeps the role that he has without it.
    await createGroup(ada, "writers", [bob, dee]);
    await ada.client.setProjectGroup({ params: { projectId, groupId: "writers" }, body: { role: "editor" } });
    await dee.client.createThread({ body: { id: threadId, projectId } });
    const paths = [`/api/threads/${threadId}/stream?after=0`, `/api/projects/${projectId}/stream?after=0`];
    const nodes = kind === "sqlite" ? [first] : [first, second];
    const watchAll = (person: { readonly cookie: string }) =>
      Promise.all(nodes.flatMap(({ url }) => paths.map((path) => watchStream(url, path, { cookie: person.cookie }))));
    const [lost, kept] = [await watchAll(dee), await watchAll(bob)];
    await dee.client.sendMessage({ params: { threadId }, body: { id: "m1", text: "Go" } });
    await reached.passed;
    await dee.client.sendMessage({ params: { threadId }, body: { id: "m2", text: "Withdrawn" } });
    for (const { seen } of lost) await expect.poll(() => seen.text.length > 100).toBe(true);

    const startedAt = performance.now();
    await revoke(shared);
    removed.open();
    const endedAt = await Promise.all(lost.map(({ ended }) => ended));
    expect(Math.max(...endedAt) - startedAt).toBeLessThan(cutWithinMs);
    const state = async () =>
      (await ada.client.listRuns({ params: { threadId }, query: {} })).runs.map((run) => run.state);
    await expect.poll(state).toEqual(["ended"]);
    expect(ran).toEqual([dee.userId]);
    const { messages, queue } = await ada.client.getThread({ params: { threadId }, query: {} });
    expect(queue).toEqual([]);
    expect(messages.map(({ id }) => id)).not.toContain("m2");

    await ask(bob, threadId, "m3", "After the removal");
    for (const { seen } of kept.slice(0, 1))
      await expect.poll(() => seen.text.includes("After the removal")).toBe(true);
    for (const { seen } of lost) expect(seen.text).not.toContain("After the removal");
    for (const { url } of nodes) {
      for (const path of ["/api/threads/shared", "/api/projects/plan", "/api/threads/shared/stream"]) {
        expect(await statusOf(url, `GET ${path}`, dee)).toBe(404);
      }
      expect(await statusOf(url, "POST /api/threads/shared/messages", dee, { id: "late", text: "Late" })).toBe(404);
    }
    expect((await dee.client.listProjects({ query: {} })).projects).toEqual([]);
    // Threads that the user shared belong to the project.
    expect((await ada.client.listThreads({ query: { projectId } })).threads.map(({ id }) => id)).toEqual([threadId]);
  });

  test("no write of an editor through a group is lost or accepted late while the group is removed", async () => {
    const [first, second] = await startNodes({ script: () => say("An answer.") });
    const shared = await shareProject(second);
    const { ada, dee, cy, projectId } = shared;
    await createGroup(ada, "writers", [dee, cy]);
    await ada.client.setProjectGroup({ params: { projectId, groupId: "writers" }, body: { role: "editor" } });
    const at = `/api/projects/${projectId}`;
    const statuses = new Map<string, number>();
    const write = async (url: string, person: typeof dee, id: string) => {
      const body = { id, ops: [{ do: "create", id, kind: "task", title: id }] };
      statuses.set(id, await statusOf(url, `POST ${at}/acts`, person, body));
    };
    const rounds = Array.from({ length: 8 }, (_, n) => n);
    const writing = rounds.map((n) =>
      Promise.all([write(first.url, dee, `d${n}`), write(second.url, cy, `c${n}`)]).then(() =>
        write(second.url, dee, `e${n}`),
      ),
    );
    await Promise.all([...writing, ada.client.removeProjectGroup({ params: { projectId, groupId: "writers" } })]);
    expect([...statuses.values()].filter((status) => ![200, 403, 404].includes(status))).toEqual([]);
    const { entities } = await ada.client.listEntities({ params: { projectId }, query: { limit: 100 } });
    const accepted = [...statuses].filter(([, status]) => status === 200).map(([id]) => id);
    expect(entities.map(({ id }) => id).toSorted()).toEqual(accepted.toSorted());
    await write(second.url, dee, "last");
    expect(statuses.get("last")).toBe(404);
  });
});
