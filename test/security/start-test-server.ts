import { createModelAccess } from "../../server/model/model-access.ts";
import { openMcpServers } from "../../server/tools/mcp/servers.ts";
import { createCatalog } from "../../server/tools/catalog.ts";
import { createSeal } from "../../server/lib/seal.ts";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client } from "../../protocol/client.ts";
import { ApiError } from "../../protocol/errors.ts";
import { userStream } from "../../protocol/ids.ts";
import { createApiKeys, type Authentication } from "../../server/auth/authenticate.ts";
import { readConfig } from "../../server/config/config.ts";
import type { App } from "../../server/http/app.ts";
import { createHandlers } from "../../server/http/handlers/handlers.ts";
import { createCosts } from "../../server/cost/cost.ts";
import { systemClock } from "../../server/lib/clock.ts";
import { systemIds } from "../../server/lib/ids.ts";
import { createLog } from "../../server/log/log.ts";
import { createProjectMembers } from "../../server/project/members.ts";
import { createProjects } from "../../server/project/project.ts";
import { createMemory, type Memory } from "../../server/memory/memory.ts";
import type { Models } from "../../server/model/model.ts";
import { createModels } from "../../server/model/registry.ts";
import { serve } from "../../server/serve.ts";
import type { Store } from "../../server/store/contract.ts";
import { openStore } from "../../server/store/open.ts";
import { createRecall } from "../../server/recall/recall.ts";
import { createSummaries } from "../../server/summary/summary.ts";
import { createUserActions } from "../../server/thread/user-actions.ts";
import { createLearnedWindows } from "../../server/run/learned-windows.ts";
import { createProfiles } from "../../server/run/profiles.ts";
import { createSecrets } from "../../server/run/secrets.ts";
import type { SettingsDeps } from "../../server/http/handlers/settings.ts";
import { createErasing } from "../../server/user-data/erase.ts";
import { createImports } from "../../server/transfer/import/imports.ts";
import { createExports } from "../../server/transfer/export/exports.ts";
import { createShares } from "../../server/user-data/shares.ts";
import { createStorageReport } from "../../server/user-data/storage-report.ts";
import { createProfileSettings } from "../../server/settings/profiles.ts";
import { createPreferenceSettings } from "../../server/settings/preferences.ts";
import { createPush } from "../../server/push/push.ts";
import { createPromptSettings } from "../../server/settings/prompts.ts";
import { createModelSettings } from "../../server/settings/model-settings.ts";
import { createProviderSettings } from "../../server/settings/providers.ts";
import { createAttachments } from "../../server/thread/attachments/attachments.ts";
import { createDrafts } from "../../server/thread/drafts.ts";
import { createReadMarks } from "../../server/thread/read-marks.ts";
import { createPromptContexts } from "../../server/run/prompt-contexts.ts";
import { createRunDeps } from "../support/server/run-deps.ts";
import { createChats } from "../../server/surfaces/ai-sdk/chats.ts";
import { createPresence } from "../../server/thread/presence.ts";
import { createThreads, type Threads } from "../../server/thread/threads.ts";
import { createPreviews } from "../../server/workspace/preview.ts";
import { checkPaths, createWorkspaces } from "../../server/workspace/workspace.ts";
import { createTestApp, origin } from "./test-app.ts";

/** The HTTP app with real services except runs. The `Authorization` header names the principal. */
export type TestServer = {
  readonly app: App;
  readonly store: Store;
  readonly lines: readonly string[];
  readonly asUser: (userId: string) => Client;
  readonly close: () => Promise<void>;
};

const byName: Authentication = {
  kind: "token",
  authenticate: async ({ authorization }) => {
    if (authorization === undefined) throw new ApiError("unauthenticated", "Say who you are.");
    return { userId: authorization, role: "admin" };
  },
  signOut: async () => ({ cookies: [], ended: [] }),
  findEnded: async () => [],
};

export const makeFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "testServer-"));

export async function startTestServer(directory: string): Promise<TestServer> {
  const [clock, ids] = [systemClock, systemIds];
  const store = await openStore({ directory, databaseUrl: null });
  const log = createLog({ store, clock, onError: () => {} });
  const models = createModels({ config: { keys: {} }, clock });
  const threads = createThreads({ store, log, models, clock, ids });
  const userActions = createUserActions({ store, log, threads, models, clock });
  const memory = createMemory({ store, log, clock });
  const projects = createProjects({ store, log, clock, checkPaths });
  const members = createProjectMembers({ store, log, clock, planAudit: () => [], people: undefined });
  const mcp = openMcpServers({
    clock,
    stream: () => Promise.reject(new Error("no network here")),
    read: store.read,
    log,
    seal: createSeal(new Uint8Array(32)),
    callbackUrl: `${origin}/api/mcp/callback`,
    onNote: () => {},
  });
  const previews = createPreviews({
    ...{ store, log, clock, ids, known: () => [], publicUrl: origin },
    seal: createSeal(new Uint8Array(32)),
  });
  const workspaces = createWorkspaces({ store, log, clock });
  const settings = openSettings({ store, log, clock, ids, models, threads, projects, members, memory });
  for (const userId of ["local", "bob"]) await threads.addUser(userId);
  const { app, lines } = createTestApp({
    handlers: createHandlers({
      store,
      threads,
      userActions,
      models,
      access: createModelAccess({ models }),
      deletePerson: () => Promise.reject(new Error("There are no accounts.")),
      memory,
      projects,
      members,
      presence: createPresence({ store, threads, clock }),
      costs: createCosts({ store, log, models, clock, budgets: { dayUsd: null, monthUsd: null } }),
      contexts: createPromptContexts({
        deps: createRunDeps({ store, log, models, clock, ids }),
        viewsOf: async () => ({ summaries: [], state: null }),
      }),
      summaries: createSummaries({
        store,
        log,
        models,
        clock,
        ids,
        reserveBudget: async () => null,
        wake: () => {},
        onError: () => {},
      }),
      recall: createRecall({ store, log, clock }),
      clock,
      learnedWindows: createLearnedWindows({ clock, read: store.read }),
      catalogOf: async () => createCatalog([]),
      mcp,
      previews,
      workspaces,
      settings,
      chats: createChats({
        store,
        threads,
        userActions,
        attachments: settings.attachments,
        clock,
        ids,
        uploadsDir: directory,
      }),
      seal: createSeal(new Uint8Array(32)),
      ...{ accounts: null, sessions: null, signIn: "token" },
      version: "0",
      health: () => Promise.reject(new ApiError("invalid", "There is no health in this test.")),
      storage: createStorageReport({
        config: { dataDir: directory, retention: { archiveMs: null, deleteMs: null, receiptsMs: null } },
        ...{ store, clock },
      }),
    }),
    openShared: settings.shares.open,
    authentication: byName,
    watch: log.watch,
    authorizeThread: async (principal, threadId) => void (await threads.get(principal, threadId)),
    authorizeProject: async (principal, projectId) => void (await projects.get(principal, projectId)),
    archive: (principal, projectId) => workspaces.archive(principal.userId, projectId),
    userStreamOf: ({ userId }) => userStream(userId),
    attachments: settings.attachments,
    imports: settings.imports,
    servePreview: previews.serve,
    checkResponses: true,
  });
  return {
    app,
    store,
    lines,
    asUser: (userId) =>
      createClient({
        baseUrl: origin,
        headers: { authorization: userId },
        fetch: (input, init) => app.fetch(new Request(input as string, init)),
      }),
    close: async () => {
      await app.close(0);
      await mcp.close();
      await log.close();
      models.close();
      await store.close();
    },
  };
}

type SettingsInput = Omit<Parameters<typeof createErasing>[0], "wake" | "threads"> &
  Pick<Parameters<typeof createImports>[0], "projects"> &
  Pick<Parameters<typeof createExports>[0], "memory"> & { readonly memory: Memory } & {
    readonly models: Models;
    readonly threads: Threads;
  };

/** Settings whose providers make no requests. */
function openSettings({ models: plain, ...parts }: SettingsInput): SettingsDeps {
  const seal = createSeal(new Uint8Array(32));
  const config = readConfig({});
  const models = {
    ...plain,
    use: () => {},
    useOwnKeys: () => {},
    testOwn: async () => undefined,
    test: async () => undefined,
    isProven: () => false,
    findsLocal: true,
    findLocal: async () => [],
  };
  return {
    providers: createProviderSettings({
      ...{ ...parts, seal, models, config: config.models, onError: () => {} },
      allowPrivate: config.tools.allowPrivate.model,
    }),
    modelSettings: createModelSettings({ ...parts, models, config: config.models, onChanged: async () => {} }),
    profiles: createProfileSettings({
      ...{ ...parts, models, profiles: createProfiles(config) },
      catalogOf: async () => createCatalog([]),
    }),
    preferences: createPreferenceSettings(parts),
    prompts: createPromptSettings(parts),
    push: createPush({
      ...{ ...parts, seal, allowPrivate: [], publicUrl: origin },
      stream: () => Promise.reject(new Error("no network in this test")),
    }),
    drafts: createDrafts(parts),
    readMarks: createReadMarks(parts),
    // Requests for shared links are limited in time, and the fuzz takes none.
    shares: createShares({
      ...{ ...parts, seal, secrets: createSecrets({ seal, known: () => [] }) },
      clock: { now: parts.clock.now, monotonic: () => parts.clock.monotonic() * 1_000 },
    }),
    exports: createExports({ ...parts, seal }),
    imports: createImports({ ...parts, models: plain, seal, wake: () => {}, folder: tmpdir() }),
    erasing: createErasing({ ...parts, wake: () => {} }),
    attachments: createAttachments(parts),
    apiKeys: createApiKeys({ ...parts, read: parts.store.read, onError: () => {} }),
  };
}

export type WrittenThread = {
  readonly threadId: string;
  readonly messageIds: readonly string[];
  readonly runId: string;
  readonly receiptId: string;
};

/** Threads of `local` with an answer each, made by the whole server, which is closed again. */
export async function writeThreads(directory: string, threadIds: readonly string[]): Promise<WrittenThread[]> {
  const env = {
    STONECHAT_DATA: directory,
    STONECHAT_PORT: "0",
    STONECHAT_LOG: "silent",
    STONECHAT_TITLES: "off",
    STONECHAT_OFFLINE_PACE_MS: "0",
  };
  const server = await serve(readConfig(env));
  const client = createClient({ baseUrl: server.url });
  try {
    return await Promise.all(threadIds.map((threadId) => writeThread(server.url, client, threadId)));
  } finally {
    await server.close();
  }
}

async function writeThread(url: string, client: Client, threadId: string): Promise<WrittenThread> {
  await client.createThread({ params: {}, body: { id: threadId } });
  await client.sendMessage({ params: { threadId }, body: { id: `${threadId}-m`, text: "Hello there" } });
  await readUntilEnded(`${url}/api/threads/${threadId}/stream`);
  const { messages } = await client.getThread({ params: { threadId } });
  const { runs } = await client.listRuns({ params: { threadId } });
  const runId = runs[0]?.id ?? "";
  const { calls } = await client.getRun({ params: { threadId, runId } });
  return { threadId, messageIds: messages.map(({ id }) => id), runId, receiptId: calls[0]?.receiptId ?? "" };
}

async function readUntilEnded(url: string): Promise<void> {
  const response = await fetch(url);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('"run-ended"')) return;
  }
  throw new Error("the stream ended before its run did");
}
