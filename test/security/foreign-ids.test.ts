import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes, type RouteName } from "../../protocol/routes.ts";
import type { Write } from "../../server/store/contract.ts";
import { createReceiver } from "../support/push/decrypt.ts";
import { put } from "../support/store-rows.ts";
import { bodies, noFields, queries } from "./route-bodies.ts";
import { makeFolder, startTestServer, writeThreads, type TestServer, type WrittenThread } from "./start-test-server.ts";
import { origin } from "./test-app.ts";

type Ids = {
  readonly chatId: string;
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
  readonly subscriptionId: string;
  readonly attachmentId: string;
  readonly projectId: string;
  readonly entityId: string;
  readonly actId: string;
  readonly importId: string;
  readonly userId: string;
  readonly groupId: string;
};

const withIds = (Object.keys(routes) as RouteName[]).filter(
  // Providers belong to the instance; a shared link works for everyone who has it.
  // A chat begins with its first message, so an unknown one is empty.
  // Routes of accounts are in `test/scenarios/accounts/`, because this server has none.
  (name) =>
    /:(?!provider|token|userId|sessionId|invitationId|identityId|passkeyId|groupId|role)/.test(routes[name].path) &&
    name !== "getChat" &&
    name !== "revokePersonKey",
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

describe("ids of other users, with the real handlers", () => {
  let testServer: TestServer;
  let own: WrittenThread;
  let other: WrittenThread;
  let attachmentId: string;
  let subscriptionId: string;
  let importId = "";
  const toIds = (written: WrittenThread): Ids => ({
    threadId: written.threadId,
    chatId: written.threadId,
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
    subscriptionId,
    attachmentId,
    projectId: "project",
    entityId: "entity",
    actId: "act",
    importId,
    userId: "bob",
    groupId: "group",
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
    const browser = { ...createReceiver().keys, agent: "Mine", titles: false };
    const { subscription } = await local.subscribePush({ body: { endpoint: "https://8.8.8.8/mine", ...browser } });
    subscriptionId = subscription.id;
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
    const imported = await testServer.app.fetch(
      new Request(`${origin}/api/imports?name=mine.json`, {
        method: "POST",
        headers: { authorization: "local", "content-type": "application/octet-stream" },
        body: "[]",
      }),
    );
    importId = ((await imported.json()) as { id: string }).id;
    const line = {
      owner: "local",
      import_id: importId,
      n: 1,
      kind: "memory",
      target: "notes",
      text: "only mine",
    } as const;
    await put(testServer.store, { do: "insert", table: "import_lines", row: line });
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
      await client.listPush({}),
      await client.listShares({}),
      await client.listAttachments({ query: { threadId: own.threadId } }),
      await client.listDrafts({}),
    ]);
  };

  test("an MCP client gets the same answer for another's ids as for unknown ones, and the owner's client reads them", async () => {
    const connect = async (userId: string): Promise<Client> => {
      const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } });
      const fetch = async (url: string | URL, init?: RequestInit) => testServer.app.fetch(new Request(url, init));
      const requestInit = { headers: { authorization: userId } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { fetch, requestInit }));
      return client;
    };
    const [bob, local] = [await connect("bob"), await connect("local")];
    const mine = { thread_id: own.threadId, project_id: "project", entity_id: "entity", receipt_id: own.receiptId };
    const unknown = { thread_id: "x", project_id: "x", entity_id: "x", receipt_id: "x" };
    const more = {
      ref: 1,
      query: "hello",
      question: "hello",
      ops: [{ do: "delete", id: "entity", version: 1 }],
      act_id: "act",
    };
    const before = await look();
    const { tools } = await bob.listTools();
    const named = tools.filter(({ inputSchema }) =>
      /"(thread|project)_id"/.test(JSON.stringify(inputSchema.required ?? [])),
    );
    expect(named.length).toBeGreaterThan(9);
    for (const { name, inputSchema } of [...named, ...tools.filter((tool) => tool.name === "ask")]) {
      const known = new Set(Object.keys(inputSchema.properties ?? {}));
      if (name === "ask") known.delete("project_id");
      const pick = (ids: object) =>
        Object.fromEntries(Object.entries({ ...ids, ...more }).filter(([key]) => known.has(key)));
      const foreign = await bob.callTool({ name, arguments: pick(mine) });
      expect(foreign, name).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^Not found\./) }],
      });
      expect(foreign, name).toEqual(await bob.callTool({ name, arguments: pick(unknown) }));
    }
    expect(await look()).toBe(before);
    for (const uri of [
      `threads/${own.threadId}`,
      "projects/project",
      `threads/${own.threadId}/receipts/${own.receiptId}`,
    ]) {
      await expect(bob.readResource({ uri: `stonechat://${uri}` })).rejects.toThrow(/Not found/);
      expect((await local.readResource({ uri: `stonechat://${uri}` })).contents).toHaveLength(1);
    }
    expect((await bob.listResources()).resources).toEqual([]);
    await Promise.all([bob.close(), local.close()]);
  });

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
      "getImport",
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
        await send(name, "bob", {
          ...toIds(own),
          threadId: "thread-nowhere",
          chatId: "thread-nowhere",
          projectId: "nowhere",
        }),
      );
      expect(await look()).toBe(before);
    },
  );

  test("getChat: another's thread is an empty chat, as an unknown one is", async () => {
    const [foreign, unknown] = await Promise.all(
      [own.threadId, "thread-nowhere"].map((chatId) => send("getChat", "bob", { ...toIds(own), chatId })),
    );
    expect([foreign?.status, unknown?.status]).toEqual([200, 200]);
    expect(foreign?.text).toContain(`"messages":[]`);
    const mine = await send("getChat", "local", toIds(own));
    expect(mine.text).toContain("Hello there");
  });

  test.each(withIds.filter((name) => /:(message|input|run|receipt|summary)Id/.test(routes[name].path)))(
    "%s: an id of another thread is unknown in this one",
    async (name) => {
      const before = await look();
      const swapped = await send(name, "local", { ...toIds(other), threadId: own.threadId });
      expect(swapped.status).toBe(404);
      const unknown = {
        threadId: own.threadId,
        chatId: own.threadId,
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
        subscriptionId: "none",
        attachmentId: "none",
        projectId: "project",
        entityId: "none",
        actId: "none",
        importId: "none",
        userId: "none",
        groupId: "none",
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
