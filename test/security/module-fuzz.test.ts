import fc from "../support/fast-check.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ErrorBody } from "../../protocol/api.ts";
import { routes, type RouteName } from "../../protocol/routes.ts";
import { makeFolder, startTestServer, writeThreads, type TestServer, type WrittenThread } from "./start-test-server.ts";
import { attempts, toHttp, type Attempt } from "./route-attempts.ts";

const runs = process.env["STONECHAT_DEEP"] === "1" ? 1000 : 100;
const names = Object.keys(routes) as RouteName[];

/** Valid inputs for routes that random input seldom matches. */
const fitting: Partial<Record<RouteName, Partial<Pick<Attempt, "query" | "body">>>> = {
  createThread: { body: JSON.stringify({ id: "fitting" }) },
  sendMessage: { body: JSON.stringify({ id: "fitting", text: "Hello" }) },
  editMessage: { body: JSON.stringify({ id: "fitting", text: "Hello" }) },
  changeThread: { body: JSON.stringify({ id: "fitting", title: "Renamed" }) },
  act: { body: JSON.stringify({ id: "fitting", ops: [{ do: "update", id: "entity", version: 1, state: "done" }] }) },
  changeProject: { body: JSON.stringify({ id: "fitting", version: 1, name: "Renamed" }) },
  createProfile: { body: JSON.stringify({ id: "fitting", name: "Another" }) },
  writeFiles: {
    body: JSON.stringify({ id: "fitting", ops: [{ do: "write", path: "b.txt", was: null, text: "Mine" }] }),
  },
  copyShared: { body: JSON.stringify({ id: "fitting-copy" }) },
  createPrompt: { body: JSON.stringify({ id: "fitting", name: "another", text: "Text" }) },
  changePrompt: { body: JSON.stringify({ was: 1, name: "renamed" }) },
  changeProfile: { body: JSON.stringify({ was: 1, name: "Renamed" }) },
  getFile: { query: { path: "a.txt" } },
  restoreFiles: { body: JSON.stringify({ id: "fitting", seq: 1 }) },
};

describe("route fuzz with the real handlers", () => {
  let testServer: TestServer;
  /** A thread and a project for each route, so that none fills the queue of another. */
  let threads: ReadonlyMap<string, WrittenThread>;
  const accepted = new Set<RouteName>();
  let token = "";

  beforeAll(async () => {
    const folder = await makeFolder();
    const written = await writeThreads(folder, names);
    threads = new Map(written.map((thread) => [thread.threadId, thread]));
    testServer = await startTestServer(folder);
    const waiting = { id: "waiting", text: "Not yet" };
    const local = testServer.asUser("local");
    await local.sendMessage({ params: { threadId: "withdrawInput" }, body: waiting });
    for (const name of names.filter((one) => routes[one].path.includes(":projectId"))) {
      await local.createProject({ body: { id: name, name: "Mine" } });
      const task = { do: "create", id: "entity", kind: "task", title: "Mine" } as const;
      await local.act({ params: { projectId: name }, body: { id: "first-act", ops: [task] } });
    }
    const file = { do: "write", path: "a.txt", was: null, text: "Mine" } as const;
    await local.writeFiles({ params: { projectId: "getFile" }, body: { id: "file", ops: [file] } });
    await local.createProfile({ body: { id: "profile", name: "Mine" } });
    await local.createPrompt({ body: { id: "prompt", name: "mine", text: "Mine" } });
    const share = (id: string) => local.createShare({ params: { threadId: "createShare" }, body: { id } });
    await share("share");
    token = (await share("kept")).token;
  });
  afterAll(() => testServer.close());

  /** Aimed at what exists. */
  const aim = (name: RouteName, attempt: Attempt): Attempt => {
    const { threadId, messageIds, runId, receiptId } = threads.get(name)!;
    const messageId = messageIds[name === "regenerateMessage" ? 1 : 0]!;
    const known: Record<string, string> = {
      threadId,
      messageId,
      inputId: "waiting",
      runId,
      receiptId,
      projectId: name,
      entityId: "entity",
      actId: "first-act",
      ...settings(),
    };
    const keys = Object.keys(attempt.params);
    return {
      ...withoutModel(attempt),
      params: Object.fromEntries(keys.map((key) => [key, known[key] ?? attempt.params[key]])),
    };
  };

  const toExamples = (name: RouteName): [Attempt, boolean][] => {
    const good = { kind: "good", params: toParams(name), query: {}, body: "{}", type: "application/json" };
    return fitting[name] ? [[{ ...good, ...fitting[name] }, true]] : [];
  };

  /** Random model names do not exist, so valid inputs name no model. */
  const withoutModel = (attempt: Attempt): Attempt => {
    if (attempt.kind !== "good") return attempt;
    const { model: _, ...body } = JSON.parse(String(attempt.body)) as Record<string, unknown>;
    return { ...attempt, body: JSON.stringify(body) };
  };
  const settings = () => ({ profileId: "profile", promptId: "prompt", shareId: "share", token });

  test.each(names)(`%s takes ${runs} attempts without a bug`, async (name) => {
    await fc.assert(
      fc.asyncProperty(attempts(name), fc.boolean(), async (attempt, isAimed) => {
        const request = toHttp(name, isAimed ? aim(name, attempt) : attempt);
        // Uses a separate user, because deleting everything would remove the data of the other cases.
        request.headers.set("authorization", name === "deleteEverything" ? "bob" : "local");
        const response = await testServer.app.fetch(request);
        const text = await response.text();
        if (response.ok) accepted.add(name);
        expect(response.status, `${text} ${testServer.lines.at(-1)}`).toBeLessThan(500);
        if (response.status >= 400) ErrorBody.parse(JSON.parse(text));
      }),
      { numRuns: runs, examples: toExamples(name) },
    );
  });

  test("every route accepted some input, except those whose prerequisites are missing", () => {
    const ofServers = [
      "addServer",
      "finishSignIn",
      "fillServerPrompt",
      "removeServer",
      "acceptTool",
      "signInToServer",
      "signOutOfServer",
    ];
    const ofSummaries = ["summarize", "getSummary", "editSummary", "undoSummary"];
    const ofAccounts = [
      ...["setUp", "openInvitation", "acceptInvitation", "resetPassword", "changeAccount", "changePassword"],
      ...["endSession", "endOtherSessions", "listPeople", "changePerson", "signOutPerson", "createResetLink"],
      ...["startOidc", "listIdentities", "removeIdentity", "requestReset", "requestSignUp"],
      ...["createInvitation", "listInvitations", "revokeInvitation", "listAudit"],
      ...["signInWithCode", "startPasskeySignIn", "signInWithPasskey", "getFactors", "startConfirmation"],
      ...["confirmUser", "startAuthenticator", "addAuthenticator", "removeAuthenticator", "createRecoveryCodes"],
      ...["startPasskey", "addPasskey", "renamePasskey", "removePasskey", "removeFactors"],
      ...["getPerson", "setPersonLimits", "revokePersonKey", "endPersonSession", "transferPersonProject"],
      ...["deletePerson", "listRoleLimits", "setRoleLimits", "getLimits", "getHealth", "confirmEmail"],
      ...["createGroup", "getGroup", "changeGroup", "deleteGroup", "addGroupPerson", "removeGroupPerson"],
      ...["listOwnProviders", "setOwnKey", "removeOwnKey", "testOwnKey", "setOwnKeysAllowed"],
    ];
    const ofMembers = [
      "addMember",
      "changeMember",
      "removeMember",
      "transferProject",
      "setProjectGroup",
      "removeProjectGroup",
    ];
    const ofPush = ["subscribePush", "unsubscribePush", "testPush"];
    const ofImports = ["getImport", "decideImport", "removeImport"];
    const needing = [
      "signIn",
      "decideCall",
      "answerQuestion",
      "continueRun",
      "retryRun",
      "getArtifact",
      "revealValue",
      "undoMemory",
      "undoEpoch",
      "removePin",
      "setProviderAddress",
      "changeModel",
      "undoRun",
      "removeAttachment",
      "stopChat",
      ...ofSummaries,
      ...ofServers,
      ...ofAccounts,
      ...[...ofMembers, ...ofPush, ...ofImports],
    ];
    expect(names.filter((name) => !accepted.has(name))).toEqual(names.filter((name) => needing.includes(name)));
  });

  test("the fuzz deletes no existing data", async () => {
    for (const { threadId, messageIds } of threads.values()) {
      if (threadId === "deleteThread") continue;
      const snapshot = await testServer.asUser("local").getThread({ params: { threadId }, query: { limit: 200 } });
      const known = new Set(snapshot.messages.flatMap(({ id, variants }) => [id, ...variants]));
      expect(messageIds.filter((id) => !known.has(id))).toEqual([]);
    }
  });
});

const toParams = (name: RouteName): Record<string, string> =>
  Object.fromEntries([...routes[name].path.matchAll(/:(\w+)/g)].map(([, key = ""]) => [key, "none"]));
