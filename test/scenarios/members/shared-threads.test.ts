import { expect, test } from "vitest";
import type { ModelRequest } from "../../../protocol/model.ts";
import { call, createGate, say } from "../../support/instance.ts";
import { accountsOn, send } from "../../support/accounts/accounts-instance.ts";
import { ask, shareProject, statusOf, waitForAnswer } from "../../support/accounts/shared-project.ts";
import { tool } from "../../support/server/loop-tools.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const env = accountsOn;
const threadId = "shared";

describeOnBoth("a shared thread", (start) => {
  test("is listed, found and read by members, who have separate read marks and drafts", async () => {
    const instance = await start({ env, script: () => say("An answer about herons.") });
    const { url } = instance;
    const { ada, bob, cy, dee, projectId } = await shareProject(instance);
    await bob.client.createThread({ body: { id: threadId, projectId, title: "Birds" } });
    await ask(bob, threadId, "b1", "Which birds wade?");
    for (const person of [ada, bob, cy]) {
      const { threads } = await person.client.listThreads({ query: { projectId } });
      expect(threads.map(({ id, shared, seenAt }) => [id, shared, seenAt])).toEqual([[threadId, true, 0]]);
      const { hits } = await person.client.search({ query: { q: "herons" } });
      expect(hits.map(({ thread }) => thread?.id)).toEqual([threadId]);
      const within = await person.client.search({ query: { q: "herons", projectId } });
      expect(within.hits).toHaveLength(1);
    }
    expect((await dee.client.search({ query: { q: "herons" } })).hits).toEqual([]);
    expect(await statusOf(url, `GET /api/search?q=herons&projectId=${projectId}`, dee)).toBe(404);
    // Only threads that a user started are in the user's own list.
    expect((await ada.client.listThreads({ query: {} })).threads).toEqual([]);
    expect((await bob.client.listThreads({ query: {} })).threads.map(({ id }) => id)).toEqual([threadId]);

    const { thread } = await ada.client.getThread({ params: { threadId }, query: {} });
    await ada.client.markSeen({ params: { threadId }, body: { at: thread.updatedAt } });
    await ada.client.setDraft({ params: { threadId }, body: { text: "Draft of Ada", at: 1 } });
    await bob.client.setDraft({ params: { threadId }, body: { text: "Draft of Bob", at: 1 } });
    const seen = async (person: typeof ada) =>
      (await person.client.getThread({ params: { threadId }, query: {} })).thread.seenAt;
    expect([await seen(ada), await seen(bob), await seen(cy)]).toEqual([thread.updatedAt, 0, 0]);
    const draft = async (person: typeof ada) => (await person.client.getDraft({ params: { threadId } })).draft.text;
    expect([await draft(ada), await draft(bob), await draft(cy)]).toEqual(["Draft of Ada", "Draft of Bob", ""]);
    const ofOthers = await instance.server.store.read.events(`user:${bob.userId}`, 0, 1000);
    expect(ofOthers.map(({ body }) => body).join()).not.toContain('seenAt":' + String(thread.updatedAt));

    // Only its author edits or withdraws a message; everyone with a role regenerates.
    const edit = { id: "x", text: "Changed" };
    expect(await statusOf(url, `POST /api/threads/${threadId}/messages/b1/edit`, ada, edit)).toBe(403);
    const { messages } = await ada.client.getThread({ params: { threadId }, query: {} });
    const messageId = messages.at(-1)?.id ?? "";
    await ada.client.regenerateMessage({ params: { threadId, messageId }, body: { id: "again" } });
    await waitForAnswer(ada, threadId, "again");
    // A copy is private to the one who made it.
    await cy.client.forkThread({ params: { threadId, messageId: "b1" }, body: { id: "copy" } });
    expect((await cy.client.getThread({ params: { threadId: "copy" }, query: {} })).thread.shared).toBeUndefined();
    expect(await statusOf(url, "GET /api/threads/copy", bob)).toBe(404);
    await ask(cy, "copy", "c1", "And storks?");
  });

  test("shows files and pictures of every member to the others and to the model", async () => {
    const requests: ModelRequest[] = [];
    const instance = await start({
      env,
      script: (request) => {
        requests.push(request);
        return say("An answer.");
      },
    });
    const { url } = instance;
    const { ada, bob, cy, dee, projectId } = await shareProject(instance);
    await ada.client.createThread({ body: { id: threadId, projectId } });
    const upload = async (cookie: string, name: string, body: string | Uint8Array<ArrayBuffer>) => {
      const response = await fetch(`${url}/api/attachments?name=${name}&threadId=${threadId}`, {
        method: "POST",
        headers: { cookie, "content-type": "application/octet-stream" },
        body,
      });
      return { status: response.status, id: ((await response.json()) as { id: string }).id };
    };
    const pixel = new Uint8Array(
      Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "base64",
      ),
    );
    const picture = await upload(bob.cookie, "dot.png", pixel);
    const text = await upload(bob.cookie, "notes.txt", "Notes about herons.");
    expect((await upload(cy.cookie, "late.txt", "A viewer attaches nothing.")).status).toBe(403);
    expect((await upload(dee.cookie, "late.txt", "A stranger neither.")).status).toBe(404);
    // A file that was not sent is its uploader's alone, also in messages.
    expect(await statusOf(url, `GET /api/attachments/${text.id}/file`, ada)).toBe(404);
    const stolen = { id: "s1", text: "Mine", attachments: [text.id] };
    expect(await statusOf(url, `POST /api/threads/${threadId}/messages`, ada, stolen)).toBe(400);
    await bob.client.sendMessage({
      params: { threadId },
      body: { id: "b1", text: "Look", attachments: [picture.id, text.id] },
    });
    await waitForAnswer(bob, threadId, "b1");
    await ask(ada, threadId, "a1", "What do you see?");
    const images = Object.values(requests.at(-1)?.images ?? {});
    expect(images.map((body) => Buffer.from(body, "base64").equals(Buffer.from(pixel)))).toEqual([true]);
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain("Notes about herons.");
    for (const person of [ada, cy]) {
      expect(await statusOf(url, `GET /api/attachments/${picture.id}/file`, person)).toBe(200);
      const artifact = await person.client.getArtifact({ params: { threadId, ref: 1 } });
      expect(artifact.attachment?.id).toBe(text.id);
    }
    expect(await statusOf(url, `GET /api/attachments/${picture.id}/file`, dee)).toBe(404);
    await ada.client.removeMember({ params: { projectId, userId: cy.userId } });
    expect(await statusOf(url, `GET /api/attachments/${picture.id}/file`, cy)).toBe(404);
  });

  test("tools see only the project of the thread, hidden values stay hidden, and a lost role ends the answer", async () => {
    const gate = createGate();
    const reached = createGate();
    let turn = 0;
    const requests: ModelRequest[] = [];
    const wait = tool({
      name: "wait",
      execute: async () => {
        reached.open();
        await gate.passed;
        return { output: "done" };
      },
    });
    const leak = tool({
      name: "leak",
      execute: async () => ({ output: "api_key=sk-proj-abcdefghijklmnopqrstuvwx1234" }),
    });
    const instance = await start({
      env,
      tools: [wait, leak],
      script: (request) => {
        requests.push(request);
        turn += 1;
        if (turn === 1)
          return call({ name: "list_entities", input: '{"project_id":"private"}' }, { name: "leak", input: "{}" });
        if (turn === 3) return call({ name: "wait", input: "{}" });
        return say("An answer.");
      },
    });
    const { url } = instance;
    const { ada, bob, projectId } = await shareProject(instance);
    await bob.client.createProject({ body: { id: "private", name: "Secret plans" } });
    await bob.client.createThread({ body: { id: threadId, projectId, profile: "project", mode: "global" } });
    await ask(bob, threadId, "b1", "Which tasks are in my other project?");
    const text = JSON.stringify(requests);
    expect(text).toContain("There is no project");
    expect(text).not.toContain("Secret plans");
    const { messages } = await bob.client.getThread({ params: { threadId }, query: {} });
    const placeholder =
      /\[(?:secret|redacted)[^\]]*\]|«[^»]*»|<[a-z-]+:[^>]*>/i.exec(JSON.stringify(messages))?.[0] ?? "[x]";
    expect(JSON.stringify(messages)).not.toContain("abcdefghijklmnopqrstuvwx1234");
    for (const person of [ada, bob]) {
      expect(await statusOf(url, `POST /api/threads/${threadId}/reveal`, person, { placeholder })).toBe(403);
    }
    // Another node may have changed the role without stopping the run: it is checked before the next model call.
    await bob.client.sendMessage({ params: { threadId }, body: { id: "b2", text: "Go on" } });
    await reached.passed;
    const before = requests.length;
    const where = { object: projectId, person: bob.userId };
    const lowered = { do: "update", table: "members", set: { role: "viewer" }, where } as const;
    await instance.server.store.commit([{ events: [], writes: [lowered] }]);
    gate.open();
    await waitForAnswer(ada, threadId, "b2");
    expect(requests).toHaveLength(before);
    const { run } = await ada.client.getThread({ params: { threadId }, query: {} });
    expect(run?.outcome).toBe("failed");
    expect(run?.reason?.text).toContain("can no longer write");
  });

  test("uses built-in profiles only, and refuses what its place does not allow", async () => {
    const instance = await start({ env, script: () => say("An answer.") });
    const { url } = instance;
    const { ada, bob, cy, dee, projectId } = await shareProject(instance);
    await bob.client.createProfile({ body: { id: "own", name: "Own" } });
    const create = (body: object) =>
      send(url, "POST /api/threads", { cookie: bob.cookie, body: { id: `t-${JSON.stringify(body).length}`, ...body } });
    expect((await create({ projectId, profile: "own" })).status).toBe(400);
    expect((await create({ shared: true })).status).toBe(400);
    expect((await create({ projectId, shared: true, temporary: true })).status).toBe(400);
    expect(await statusOf(url, "POST /api/threads", cy, { id: "v", projectId })).toBe(403);
    expect(await statusOf(url, "POST /api/threads", dee, { id: "s", projectId })).toBe(404);
    await bob.client.createThread({ body: { id: threadId, projectId } });
    const change = (person: typeof bob, id: string, body: object) =>
      statusOf(url, `PATCH /api/threads/${threadId}`, person, { id, ...body });
    expect(await change(bob, "c1", { profile: "own" })).toBe(400);
    expect(await change(bob, "c2", { title: "By Bob" })).toBe(200);
    expect(await change(cy, "c3", { title: "By Cy" })).toBe(403);
    // A temporary thread stays private.
    await bob.client.createThread({ body: { id: "temporary", projectId, temporary: true } });
    expect(await statusOf(url, "GET /api/threads/temporary", ada)).toBe(404);
    // Moving it to a project without members takes it back.
    await bob.client.createProject({ body: { id: "own", name: "Own" } });
    expect(await change(ada, "c4", { projectId: null })).toBe(200);
    expect(await statusOf(url, `GET /api/threads/${threadId}`, ada)).toBe(404);
    expect(await change(bob, "c5", { projectId: "own" })).toBe(200);
    expect((await bob.client.getThread({ params: { threadId }, query: {} })).thread).toMatchObject({
      projectId: "own",
    });
    expect(await change(bob, "c6", { projectId, shared: true })).toBe(200);
    expect(await statusOf(url, `GET /api/threads/${threadId}`, cy)).toBe(200);
  });
});
