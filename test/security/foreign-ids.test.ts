import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes, type RouteName } from "../../protocol/routes.ts";
import type { Write } from "../../server/store/contract.ts";
import { put } from "../support/store-rows.ts";
import { makeFolder, startTestServer, writeThreads, type TestServer, type WrittenThread } from "./start-test-server.ts";
import { origin } from "./test-app.ts";

type Ids = {
  readonly threadId: string;
  readonly messageId: string;
  readonly inputId: string;
  readonly runId: string;
  readonly receiptId: string;
  readonly ref: string;
  readonly epochId: string;
  readonly pinId: string;
  readonly summaryId: string;
  readonly profileId: string;
  readonly promptId: string;
  readonly shareId: string;
  readonly attachmentId: string;
  readonly projectId: string;
  readonly entityId: string;
  readonly actId: string;
};

const noFields = { keyPoints: [], decisions: [], actionItems: [], openQuestions: [], toolResults: [] };

const bodies: Partial<Record<RouteName, object>> = {
  changeThread: { id: "x-1", title: "taken over" },
  sendMessage: { id: "x-2", text: "let me in" },
  editMessage: { id: "x-3", text: "changed" },
  regenerateMessage: { id: "x-4" },
  activateMessage: { id: "x-5" },
  stopRun: { id: "x-6" },
  decideCall: { id: "x-7", partId: "p", decision: "once" },
  continueRun: { id: "x-8" },
  retryRun: { id: "x-retry" },
  acceptTool: { tool: "t", hash: "h" },
  previewContext: { text: "let me look" },
  undoEpoch: { id: "x-9" },
  addPin: { id: "x-10", text: "pinned" },
  summarize: { id: "x-11" },
  editSummary: { id: "x-12", fields: { ...noFields, overview: "taken over" } },
  undoSummary: { id: "x-13" },
  revealValue: { placeholder: "[secret]" },
  changeProfile: { was: 1, name: "taken over" },
  changePrompt: { was: 1, name: "taken-over" },
  answerQuestion: { id: "x-8a", partId: "p", answers: null },
  setDraft: { text: "mine", at: 1 },
  markSeen: { at: 1 },
  createShare: { id: "x-14" },
  reportLogs: { seq: 0, logs: [], loaded: true },
  writeFiles: { id: "x-15", ops: [{ do: "write", path: "taken.ts", was: null, text: "over" }] },
  restoreFiles: { id: "x-16", seq: 0 },
  changeProject: { id: "x-17", version: 1, name: "taken over" },
  act: { id: "x-18", ops: [{ do: "delete", id: "entity", version: 1 }] },
  undoAct: { id: "x-19" },
  undoRun: { id: "x-20" },
};
const queries: Partial<Record<RouteName, string>> = { listMessages: "?before=9", getFile: "?path=src/App.tsx" };
const withIds = (Object.keys(routes) as RouteName[]).filter(
  // Providers belong to the instance; a shared link works for everyone who has it.
  (name) => /:(?!provider|token)/.test(routes[name].path),
);

const summaryOf = (thread: string): Write => ({
  do: "insert",
  table: "summaries",
  row: {
    id: `${thread}-summary`,
    thread,
    branch: "none",
    from_depth: 1,
    to_depth: 2,
    from_message: "",
    to_message: "",
    messages: 2,
    level: 0,
    status: "completed",
    cause: "auto",
    hash: "h",
    fields: JSON.stringify({ ...noFields, overview: "Hello there" }),
    source_tokens: 10,
    tokens: 2,
    cost_usd: null,
    model: null,
    tainted: 0,
    untrusted: "[]",
    merged_into: null,
    error: null,
    created_at: 1,
    updated_at: 1,
  },
});

describe("D2: ids of other users, with the real handlers", () => {
  let testServer: TestServer;
  let own: WrittenThread;
  let other: WrittenThread;
  let attachmentId: string;
  const toIds = (written: WrittenThread): Ids => ({
    threadId: written.threadId,
    messageId: written.messageIds[0] ?? "",
    inputId: `${written.threadId}-m`,
    runId: written.runId,
    receiptId: written.receiptId,
    ref: "1",
    epochId: "epoch",
    pinId: "pin",
    summaryId: `${written.threadId}-summary`,
    profileId: "profile",
    promptId: "prompt",
    shareId: "share",
    attachmentId,
    projectId: "project",
    entityId: "entity",
    actId: "act",
  });

  beforeAll(async () => {
    const folder = await makeFolder();
    [own, other] = (await writeThreads(folder, ["thread-a", "thread-b"])) as [WrittenThread, WrittenThread];
    testServer = await startTestServer(folder);
    for (const thread of [own.threadId, other.threadId]) await put(testServer.store, summaryOf(thread));
    const local = testServer.asUser("local");
    await local.createProject({ body: { id: "project", name: "Mine alone" } });
    await local.createProject({ body: { id: "second", name: "Also mine" } });
    const task = { do: "create", id: "entity", kind: "task", title: "Only mine" } as const;
    await local.act({ params: { projectId: "project" }, body: { id: "act", ops: [task] } });
    await local.reportLogs({ params: { projectId: "project" }, body: { seq: 0, logs: [], loaded: true } });
    const file = { do: "write", path: "src/App.tsx", was: null, text: "mine" } as const;
    await local.writeFiles({ params: { projectId: "project" }, body: { id: "file", ops: [file] } });
    await local.createProfile({ body: { id: "profile", name: "Mine" } });
    await local.createPrompt({ body: { id: "prompt", name: "mine", text: "Mine" } });
    await local.createShare({ params: { threadId: own.threadId }, body: { id: "share" } });
    const uploaded = await testServer.app.fetch(
      new Request(`${origin}/api/attachments?name=mine.txt&threadId=${own.threadId}`, {
        method: "POST",
        headers: { authorization: "local", "content-type": "application/octet-stream" },
        body: "only mine",
      }),
    );
    attachmentId = ((await uploaded.json()) as { id: string }).id;
    await local.setDraft({ params: { threadId: own.threadId }, body: { text: "only mine", at: 1 } });
  });
  afterAll(() => testServer.close());

  const send = async (name: RouteName, userId: string, ids: Ids): Promise<{ status: number; text: string }> => {
    const { method, path } = routes[name];
    const address = path.replace(/:(\w+)/g, (_, key: keyof Ids) => ids[key]);
    const query = queries[name] ?? "";
    const response = await testServer.app.fetch(
      new Request(origin + address + query, {
        method,
        headers: { authorization: userId, "content-type": "application/json" },
        ...(method === "GET" ? {} : { body: JSON.stringify(bodies[name] ?? {}) }),
      }),
    );
    return { status: response.status, text: (await response.text()).replace(/"requestId":"[^"]+"/, "") };
  };
  const look = async () => {
    const client = testServer.asUser("local");
    const threads = await Promise.all(
      [own, other].map(({ threadId }) => client.getThread({ params: { threadId }, query: { limit: 200 } })),
    );
    return JSON.stringify([
      threads,
      await client.listThreads({ params: {} }),
      await client.search({ params: {}, query: { q: "hello" } }),
      await client.getProject({ params: { projectId: "project" } }),
      await client.listEntities({ params: { projectId: "project" } }),
      await client.listActs({ params: { projectId: "project" } }),
      await client.listLogs({ params: { projectId: "project" } }),
      await client.listFiles({ params: { projectId: "project" } }),
      await client.listProfiles({}),
      await client.listPrompts({}),
      await client.listShares({}),
      await client.listAttachments({ query: { threadId: own.threadId } }),
      await client.listDrafts({}),
    ]);
  };

  test("control: the owner sees all of it", async () => {
    expect(own.messageIds).toHaveLength(2);
    expect(own.receiptId).not.toBe("");
    for (const name of [
      "getThread",
      "listMessages",
      "listRuns",
      "getRun",
      "getReceipt",
      "getRequest",
      "getContext",
      "getProject",
      "listEntities",
      "getEntity",
      "getGraph",
      "listActs",
      "getAct",
      "openPreview",
      "listLogs",
      "listFiles",
      "getFile",
    ] as const) {
      expect(await send(name, "local", toIds(own)), name).toMatchObject({ status: 200 });
    }
    expect(await look()).toContain("Hello there");
  });

  test.each(withIds)(
    "%s: another's thread is answered as one that does not exist, and stays as it is",
    async (name) => {
      const before = await look();
      const foreign = await send(name, "bob", toIds(own));
      expect(foreign.status).toBe(404);
      expect(foreign).toEqual(
        await send(name, "bob", { ...toIds(own), threadId: "thread-nowhere", projectId: "nowhere" }),
      );
      expect(await look()).toBe(before);
    },
  );

  test.each(withIds.filter((name) => /:(message|input|run|receipt|summary)Id/.test(routes[name].path)))(
    "%s: an id of another thread is unknown in this one",
    async (name) => {
      const before = await look();
      const swapped = await send(name, "local", { ...toIds(other), threadId: own.threadId });
      expect(swapped.status).toBe(404);
      const unknown = {
        threadId: own.threadId,
        messageId: "none",
        inputId: "none",
        runId: "none",
        receiptId: "none",
        ref: "9",
        epochId: "none",
        pinId: "none",
        summaryId: "none",
        profileId: "none",
        promptId: "none",
        shareId: "none",
        attachmentId: "none",
        projectId: "project",
        entityId: "none",
        actId: "none",
      };
      expect(swapped).toEqual(await send(name, "local", unknown));
      expect(await look()).toBe(before);
    },
  );

  test("contents of one project are not found in another project of the same user", async () => {
    const before = await look();
    const local = testServer.asUser("local");
    for (const name of ["getEntity", "getAct", "undoAct", "act"] as const) {
      const swapped = await send(name, "local", { ...toIds(own), projectId: "second" });
      expect({ name, status: swapped.status }).toEqual({ name, status: 404 });
    }
    const link = { do: "link", sourceId: "entity", targetId: "entity", relation: "supports" } as const;
    const below = { do: "create", id: "below", kind: "task", title: "x", parentId: "entity" } as const;
    for (const op of [link, below]) {
      const attempt = local.act({ params: { projectId: "second" }, body: { id: "y-1", ops: [op] } });
      await expect(attempt).rejects.toMatchObject({ code: "not-found" });
    }
    expect(await look()).toBe(before);
  });

  test("a user can neither overwrite another user's project nor add a thread to it", async () => {
    const before = await look();
    const bob = testServer.asUser("bob");
    const start = bob.createProject({ body: { id: "project", name: "mine" } });
    await expect(start).rejects.toMatchObject({ code: "conflict" });
    const thread = bob.createThread({ body: { id: "intruder", projectId: "project" } });
    await expect(thread).rejects.toMatchObject({ code: "not-found" });
    const list = bob.listThreads({ query: { projectId: "project" } });
    await expect(list).rejects.toMatchObject({ code: "not-found" });
    expect((await bob.listProjects({})).projects).toEqual([]);
    expect(await look()).toBe(before);
  });

  test("lists and search show nothing of other users", async () => {
    const bob = testServer.asUser("bob");
    expect((await bob.listThreads({ params: {} })).threads).toEqual([]);
    expect((await bob.search({ params: {}, query: { q: "hello" } })).hits).toEqual([]);
    expect((await bob.listDrafts({})).drafts).toEqual([]);
    expect((await bob.listShares({})).shares).toEqual([]);
    expect((await bob.listProfiles({})).profiles.filter(({ builtIn }) => !builtIn)).toEqual([]);
    await expect(bob.listShares({ query: { threadId: own.threadId } })).rejects.toMatchObject({ code: "not-found" });
    await expect(bob.createThread({ body: { id: "of-bob", profile: "profile" } })).rejects.toMatchObject({
      code: "invalid",
    });
    await expect(bob.listAttachments({ query: { threadId: own.threadId } })).rejects.toMatchObject({
      code: "not-found",
    });
    const file = await testServer.app.fetch(
      new Request(`${origin}/api/attachments/${attachmentId}/file`, { headers: { authorization: "bob" } }),
    );
    expect(file.status).toBe(404);
    await bob.createThread({ body: { id: "own-of-bob" } });
    await expect(
      bob.sendMessage({
        params: { threadId: "own-of-bob" },
        body: { id: "m", text: "mine now", attachments: [attachmentId] },
      }),
    ).rejects.toMatchObject({ code: "invalid" });
    await bob.deleteThread({ params: { threadId: "own-of-bob" } });
    const taken = JSON.stringify(await bob.exportEverything({}));
    expect(taken).toContain("stonechat-export");
    expect(taken).not.toMatch(/Hello there|only mine|Only mine|thread-a/);
  });

  test("creating a thread with another user's thread id fails and changes nothing", async () => {
    const before = await look();
    const attempt = testServer.asUser("bob").createThread({ params: {}, body: { id: own.threadId, title: "mine" } });
    await expect(attempt).rejects.toMatchObject({ code: "conflict" });
    expect(await look()).toBe(before);
  });
});
