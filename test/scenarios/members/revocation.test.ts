import { expect, test } from "vitest";
import { call, createGate, say, type Instance } from "../../support/instance.ts";
import { accountsOn, send, watchStream, type Person } from "../../support/accounts/accounts-instance.ts";
import { ask, shareProject, statusOf } from "../../support/accounts/shared-project.ts";
import { tool } from "../../support/server/loop-tools.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const cutWithinMs = process.env["STONECHAT_DEEP"] ? 5_000 : 20_000;
const env = accountsOn;
type Node = Instance & { readonly databaseUrl: string };
type Options = Parameters<Parameters<Parameters<typeof describeOnBoth>[1]>[0]>[0];

describeOnBoth("losing access to a shared project", (start, kind) => {
  const startNodes = async (options: Options = {}): Promise<readonly [Node, Node]> => {
    const first = await start({ ...options, env });
    return kind === "sqlite" ? [first, first] : [first, await start({ ...options, env }, first.databaseUrl)];
  };
  const threadId = "shared";
  const watchAll = async (nodes: readonly Node[], { cookie }: Person) =>
    Promise.all(
      nodes.flatMap(({ url }) =>
        [`/api/threads/${threadId}/stream?after=0`, "/api/projects/plan/stream?after=0"].map((path) =>
          watchStream(url, path, { cookie }),
        ),
      ),
    );

  test("removing a member cuts the streams of its threads and of the project on both nodes, without later events", async () => {
    const [first, second] = await startNodes({ script: () => say("An answer.") });
    const { ada, bob, cy, projectId } = await shareProject(second);
    await ada.client.createThread({ body: { id: threadId, projectId } });
    await ask(ada, threadId, "m1", "Before");
    await bob.client.createThread({ body: { id: "bobs-own" } });
    const nodes = kind === "sqlite" ? [first] : [first, second];
    const streams = await watchAll(nodes, bob);
    const others = await watchAll(nodes, cy);
    const own = await watchStream(second.url, "/api/threads/bobs-own/stream?after=0", { cookie: bob.cookie });
    for (const { seen } of streams) await expect.poll(() => seen.text.length > 100).toBe(true);
    const startedAt = performance.now();
    await ada.client.removeMember({ params: { projectId, userId: bob.userId } });
    const endedAt = await Promise.all(streams.map(({ ended }) => ended));
    expect(Math.max(...endedAt) - startedAt).toBeLessThan(cutWithinMs);
    await ask(ada, threadId, "m2", "After the removal");
    for (const { seen } of others.slice(0, 1)) {
      await expect.poll(() => seen.text.includes("After the removal")).toBe(true);
    }
    for (const { seen } of streams) expect(seen.text).not.toContain("After the removal");
    for (const { url } of nodes) {
      for (const route of ["GET /api/threads/shared", "GET /api/projects/plan", "GET /api/threads/shared/stream"]) {
        expect(await statusOf(url, route, bob)).toBe(404);
      }
      const body = { id: "late", text: "Late" };
      expect(await statusOf(url, "POST /api/threads/shared/messages", bob, body)).toBe(404);
    }
    // The control: the user's other streams stay open.
    await ask(bob, "bobs-own", "b1", "Still here");
    await expect.poll(() => own.seen.text.includes("Still here")).toBe(true);
  });

  test("a thread that becomes private, and a deleted project, cut the streams of others", async () => {
    const [, second] = await startNodes({ script: () => say("An answer.") });
    const { ada, bob, cy, projectId } = await shareProject(second);
    await bob.client.createThread({ body: { id: threadId, projectId } });
    const [ofThread, ofProject] = await watchAll([second], cy);
    await bob.client.changeThread({ params: { threadId }, body: { id: "unshare", shared: false } });
    await ofThread?.ended;
    await ask(bob, threadId, "m1", "Only mine");
    expect(ofThread?.seen.text).not.toContain("Only mine");
    await bob.client.createThread({ body: { id: "kept", projectId, title: "Herons" } });
    await ada.client.deleteProject({ params: { projectId } });
    await ofProject?.ended;
    expect(await statusOf(second.url, "GET /api/projects/plan", cy)).toBe(404);
    expect((await bob.client.getThread({ params: { threadId }, query: {} })).thread).toMatchObject({ projectId: null });
    // Its starter finds what was shared, and the others do not.
    const found = async (person: Person) =>
      (await person.client.search({ query: { q: "herons" } })).hits.map(({ thread }) => thread?.id);
    expect([await found(bob), await found(ada), await found(cy)]).toEqual([["kept"], [], []]);
  });

  test("a former editor's answer stops before its next tool call, and queued messages are withdrawn", async () => {
    const [reached, removed] = [createGate(), createGate()];
    const ran: string[] = [];
    const prompts: string[] = [];
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
        prompts.push(JSON.stringify(request.messages.at(-1)));
        return request.messages.at(-1)?.role === "tool"
          ? call({ name: "wait", input: '{"q":"again"}' })
          : call({ name: "wait", input: '{"q":"first"}' });
      },
    });
    const { ada, bob, projectId } = await shareProject(second);
    await ada.client.createThread({ body: { id: threadId, projectId } });
    await bob.client.sendMessage({ params: { threadId }, body: { id: "m1", text: "Go" } });
    await reached.passed;
    await bob.client.sendMessage({ params: { threadId }, body: { id: "m2", text: "And then" } });
    await send(second.url, `PATCH /api/projects/${projectId}/members/${bob.userId}`, {
      ...{ cookie: ada.cookie, body: { role: "viewer" } },
    });
    removed.open();
    const state = async () =>
      (await ada.client.listRuns({ params: { threadId }, query: {} })).runs.map((run) => run.state);
    await expect.poll(state).toEqual(["ended"]);
    expect(ran).toEqual([bob.userId]);
    expect(prompts).toEqual([expect.any(String)]);
    const { messages, queue } = await bob.client.getThread({ params: { threadId }, query: {} });
    expect(queue).toEqual([]);
    expect(messages.map(({ id }) => id)).not.toContain("m2");
    // A viewer reads and does nothing else.
    const at = `/api/threads/${threadId}`;
    const answer = messages.find(({ role }) => role === "assistant")?.id ?? "";
    const tried = [
      ["POST", "/messages", { id: "x1", text: "Hello" }],
      ["POST", `/messages/${answer}/regenerate`, { id: "x2" }],
      ["POST", "/messages/m1/edit", { id: "x3", text: "Other" }],
      ["PATCH", "", { id: "x4", title: "Other" }],
      ["POST", "/stop", { id: "x5" }],
      ["POST", "/continue", { id: "x6" }],
      ["POST", "/pins", { id: "x7", text: "Pin" }],
      ["POST", "/shares", { id: "x8" }],
      ["DELETE", "", undefined],
    ] as const;
    for (const [method, path, body] of tried) {
      expect(await statusOf(first.url, `${method} ${at}${path}`, bob, body), `${method} ${path}`).toBe(403);
    }
  });

  test("suspending an editor stops the editor's answer in a thread of another, whose owner continues", async () => {
    const begun = createGate();
    const [, second] = await startNodes({
      script: async function* (request, _, signal) {
        const last = request.messages.at(-1);
        const text = last?.role === "user" ? last.text : "";
        yield { type: "start", key: "t", kind: "text" };
        yield { type: "delta", key: "t", text: "Begun. " };
        if (text.includes("forever")) {
          begun.open();
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        }
        yield* say("An answer.");
      },
    });
    const { ada, bob, cy, projectId } = await shareProject(second);
    await ada.client.changeMember({ params: { projectId, userId: cy.userId }, body: { role: "editor" } });
    await cy.client.createThread({ body: { id: threadId, projectId } });
    await bob.client.sendMessage({ params: { threadId }, body: { id: "m1", text: "forever" } });
    await begun.passed;
    await bob.client.sendMessage({ params: { threadId }, body: { id: "m2", text: "queued" } });
    await send(second.url, `PATCH /api/people/${bob.userId}`, { cookie: ada.cookie, body: { state: "suspended" } });
    await cy.client.sendMessage({ params: { threadId }, body: { id: "m3", text: "mine" } });
    const texts = async () =>
      (await cy.client.getThread({ params: { threadId }, query: {} })).messages.flatMap(({ id, role }) =>
        role === "user" ? [id] : [],
      );
    await expect.poll(texts).toEqual(["m1", "m3"]);
    // Suspending the user who started the thread does not stop the others either.
    await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "active" } });
    await expect.poll(texts).toEqual(["m1", "m3", "m2"]);
    await ada.client.changePerson({ params: { userId: cy.userId }, body: { state: "suspended" } });
    await ask(ada, threadId, "m4", "on");
  });
});
