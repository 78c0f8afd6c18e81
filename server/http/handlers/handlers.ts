import type { ModelCall } from "../../../protocol/api.ts";
import type { Reason, RunView, Usage } from "../../../protocol/run.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { readSources } from "../../../protocol/context/untrusted.ts";
import type { PersonDeletion } from "../../user-data/delete-person.ts";
import type { Costs } from "../../cost/cost.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Seal } from "../../lib/seal.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Health } from "../../../protocol/account/health.ts";
import type { StorageReport } from "../../../protocol/account/storage.ts";
import type { ModelAccess } from "../../model/model-access.ts";
import type { Models } from "../../model/model.ts";
import type { PromptContexts } from "../../run/prompt-contexts.ts";
import type { Recall } from "../../recall/recall.ts";
import type { LearnedWindows } from "../../run/learned-windows.ts";
import { openCatalog } from "../../run/open-catalog.ts";
import { toRunState } from "../../run/state.ts";
import type { RowOf } from "../../store/schema.ts";
import type { z } from "zod";
import type { ProjectMembers } from "../../project/members.ts";
import type { Projects } from "../../project/project.ts";
import type { Store, Reads } from "../../store/contract.ts";
import { toPreferences } from "../../store/parse-rows.ts";
import type { Summaries } from "../../summary/summary.ts";
import type { Chats } from "../../surfaces/ai-sdk/chats.ts";
import type { Presence } from "../../thread/presence.ts";
import type { UserActions } from "../../thread/user-actions.ts";
import type { Threads } from "../../thread/threads.ts";
import type { GetCatalog } from "../../tools/catalog.ts";
import { commands } from "../../tools/commands.ts";
import type { McpServers } from "../../tools/mcp/servers.ts";
import type { Previews } from "../../workspace/preview.ts";
import type { Workspaces } from "../../workspace/workspace.ts";
import { createAccountHandlers, describeUser, type AccountDeps } from "./accounts.ts";
import { createContextHandlers } from "./contexts.ts";
import { createProjectHandlers } from "./projects.ts";
import { createSettingsHandlers, type SettingsDeps } from "./settings.ts";
import { createSummaryHandlers } from "./summaries.ts";
import type { Handlers } from "../route-types.ts";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import type { MemoryField } from "../../../protocol/memory.ts";

type Options = {
  readonly store: Store;
  readonly threads: Threads;
  readonly userActions: UserActions;
  readonly models: Models;
  readonly access: ModelAccess;
  readonly deletePerson: PersonDeletion;
  readonly memory: Memory;
  readonly projects: Projects;
  readonly members: ProjectMembers;
  readonly presence: Pick<Presence, "mark">;
  readonly costs: Costs;
  readonly contexts: PromptContexts;
  readonly catalogOf: GetCatalog;
  readonly summaries: Summaries;
  readonly recall: Recall;
  readonly clock: Clock;
  readonly mcp: McpServers;
  readonly previews: Previews;
  readonly workspaces: Workspaces;
  readonly settings: SettingsDeps;
  readonly learnedWindows: Pick<LearnedWindows, "list">;
  readonly chats: Pick<Chats, "history" | "stop">;
  readonly seal: Seal;
  readonly version: string;
  readonly health: () => Promise<Health>;
  readonly storage: (principal: { readonly userId: string }) => Promise<StorageReport>;
} & AccountDeps;

/** The handlers of all routes. Every id in a request is authorized for the caller before it is used. */
export function createHandlers(options: Options): Handlers {
  const { store, threads, userActions, models, memory, costs, contexts, catalogOf, mcp, version } = options;
  const { read } = store;
  return {
    getMe: async ({ principal }) => ({
      ...(await describeUser(options, principal)),
      ...{ defaultModel: await options.access.defaultFor(principal.userId), version },
      timeZone: toPreferences(await read.preferences(principal.userId)).timeZone,
    }),
    listModels: async ({ principal }) => {
      const { userId } = principal;
      const own = models.forUser(userId);
      await own.refresh();
      const [mayUse, failing, tested, learned] = await Promise.all([
        // Admins choose among all models which of them others may use.
        principal.role === "admin" ? () => true : options.access.filterFor(userId),
        options.settings.providers.listFailing(),
        options.settings.providers.ownKeys.listTested(userId),
        options.learnedWindows.list(),
      ]);
      return {
        models: own
          .list()
          .filter(({ id }) => mayUse(id))
          .map((model) => ({
            ...model,
            ...((tested.own.has(model.provider) ? tested.failing : failing).has(model.provider)
              ? { failing: true }
              : {}),
            ...learned.get(model.id),
          })),
      };
    },
    getHealth: () => options.health(),
    getStorage: ({ principal }) => options.storage(principal),
    search: ({ principal, query }) => threads.search(principal, query),

    listThreads: ({ principal, query }) => threads.list(principal, query),
    createThread: ({ principal, body }) => threads.create(principal, body),
    forkThread: ({ principal, params, body }) => threads.fork(principal, params, body),
    copyShared: async ({ principal, params, body }) => {
      const shared = await options.settings.shares.open(params.token, principal.address ?? "", true);
      return threads.copyShared(principal, shared, body);
    },
    getThread: ({ principal, params, query }) => threads.open(principal, params.threadId, query.limit),
    changeThread: ({ principal, params, body }) => userActions.change(principal, params.threadId, body),
    deleteThread: ({ principal, params, query }) =>
      threads.remove(principal, params.threadId, { forget: query.forget === "true" }),

    markPresent: ({ principal, params, body }) => options.presence.mark(principal, params.threadId, body),
    listMessages: ({ principal, params, query }) => threads.listMessages(principal, params.threadId, query),
    sendMessage: ({ principal, params, body }) => userActions.send(principal, params.threadId, body),
    editMessage: ({ principal, params, body }) => userActions.edit(principal, params.threadId, params.messageId, body),
    regenerateMessage: ({ principal, params, body }) =>
      userActions.regenerate(principal, params.threadId, params.messageId, body),
    activateMessage: ({ principal, params, body }) =>
      userActions.activate(principal, params.threadId, params.messageId, body),
    stopRun: ({ principal, params, body }) => userActions.stop(principal, params.threadId, body),
    decideCall: ({ principal, params, body }) => userActions.decide(principal, params.threadId, body),
    answerQuestion: ({ principal, params, body }) => userActions.answer(principal, params.threadId, body),
    continueRun: ({ principal, params, body }) => userActions.continueRun(principal, params.threadId, body),
    retryRun: ({ principal, params, body }) => userActions.retry(principal, params.threadId, body),
    withdrawInput: ({ principal, params }) => userActions.withdraw(principal, params.threadId, params.inputId),

    listRuns: async ({ principal, params, query }) => {
      const thread = await threads.get(principal, params.threadId);
      return { runs: (await read.runs(thread.id, query.limit)).map(toRun) };
    },
    getRun: async ({ principal, params }) => {
      const thread = await threads.get(principal, params.threadId);
      const run = ofThread(await read.run(params.runId), thread.id);
      return { run: toRun(run), calls: (await read.calls(thread.id, run.id)).map(toCall) };
    },
    listTools: async ({ principal }) => {
      const ownerId = principal.userId;
      const preferences = toPreferences(await read.preferences(ownerId));
      const [{ tools }, { find }] = await Promise.all([
        catalogOf(ownerId),
        openCatalog({ catalogOf }, { ownerId, isTemporary: false, preferences }),
      ]);
      return {
        tools: tools.map(({ name, description, repeat, effects, group, identity }) => ({
          ...{ name, description, repeat, effects: [...effects] },
          // Tools of MCP servers, which have an identity, have separate files.
          ...(group?.name === "files" && identity === undefined ? { needsProject: true as const } : {}),
          ...(find(name) ? {} : { off: true as const }),
        })),
        commands: commands.flatMap(({ command, tool, about }) => (find(tool) ? [{ command, tool, about }] : [])),
      };
    },
    ...createStoredTextHandlers(options),
    ...createContextHandlers(contexts, threads, read),
    ...createMcpServerHandlers(mcp),
    ...createSettingsHandlers(options.settings),
    ...createAccountHandlers(options),
    ...createWorkspaceHandlers(options.workspaces),
    ...createSummaryHandlers(threads, options.summaries),
    ...createMemoryHandlers(memory, threads),
    ...createPreviewHandlers(options.previews),
    ...createCostHandlers(costs, threads),
    ...createProjectHandlers(options.projects, options.members),
    getChat: ({ principal, params }) => options.chats.history(principal, params.chatId),
    stopChat: ({ principal, params }) => options.chats.stop(principal, params.chatId),
  };
}

/** An id of another thread gets the same error as an unknown id. */
function ofThread<T extends { readonly thread: string }>(row: T | undefined, threadId: string): T {
  if (row?.thread === threadId) return row;
  throw new ApiError("not-found", "Not found.");
}

const toRun = (row: RowOf<"runs">): RunView => toRunState(row).view;

const toCall = (row: RowOf<"calls">): z.infer<typeof ModelCall> => ({
  id: row.id,
  purpose: row.purpose,
  step: row.step,
  attempt: row.attempt,
  model: row.model,
  answeredBy: row.answered_by,
  provider: row.provider,
  outcome: row.outcome,
  reason: row.reason === null ? null : (JSON.parse(row.reason) as Reason),
  usage: JSON.parse(row.usage) as Usage,
  costUsd: row.cost_usd,
  receiptId: row.receipt,
  startedAt: row.started_at,
  endedAt: row.ended_at,
});

type StoredTextRoute = "getArtifact" | "listArtifacts" | "recallPassages" | "revealValue";

const WHOLE_PATH = Number.MAX_SAFE_INTEGER;
const RECALL_TOKENS = 2000;

/** Artifacts, passages and redacted values of a thread. */
function createStoredTextHandlers(options: Options): Pick<Handlers, StoredTextRoute> {
  const { store, threads, recall, clock, seal } = options;
  const { read } = store;
  return {
    getArtifact: async ({ principal, params }) => {
      const thread = await threads.get(principal, params.threadId);
      const row = ofThread(await read.artifact(thread.id, params.ref), thread.id);
      const { id, ref, kind, title, url, type, hash, body: text, created_at: createdAt } = row;
      const attachment = await findOriginal(read, thread, row.meta);
      const untrusted = [...readSources(row.untrusted)];
      return { id, ref, kind, title, url, type, hash, text, createdAt, untrusted, attachment };
    },
    listArtifacts: async ({ principal, params, query: { after, limit } }) => {
      const thread = await threads.get(principal, params.threadId);
      const rows = await read.artifactLines(thread.id, after, limit + 1);
      const artifacts = rows.slice(0, limit).map(({ created_at: createdAt, untrusted, characters, ...row }) => ({
        ...{ ...row, createdAt, characters: Number(characters) },
        untrusted: [...readSources(untrusted)],
      }));
      return { artifacts, nextAfter: rows.length > limit ? (artifacts.at(-1)?.ref ?? null) : null };
    },
    recallPassages: async ({ principal, params, query }) => {
      const { id, branch } = await threads.get(principal, params.threadId);
      const found = await recall.search({
        ...{ threadId: id, branchId: branch, upTo: WHOLE_PATH, query: query.q, now: clock.now() },
        ...{ budgetTokens: RECALL_TOKENS, visible: { cut: WHOLE_PATH, messageIds: new Set() } },
      });
      return {
        passages: found.map(({ score: _, untrusted, ...passage }) => ({ ...passage, untrusted: [...untrusted] })),
      };
    },
    revealValue: async ({ principal, params, body }) => {
      const thread = await threads.get(principal, params.threadId, "change");
      if (thread.shared === 1) {
        throw new ApiError("forbidden", "Hidden values cannot be shown in a shared thread, because others read it.");
      }
      const rows = await read.hiddenValues(thread.id);
      const row = ofThread(
        rows.find(({ placeholder }) => placeholder === body.placeholder),
        thread.id,
      );
      return { value: seal.decrypt(row.sealed) };
    },
  };
}

type CostRoute = "getCosts" | "getBudgets" | "setBudget";

/** The user's own costs and budgets. A given thread must belong to the user. */
const createCostHandlers = (costs: Costs, threads: Threads): Pick<Handlers, CostRoute> => ({
  getCosts: async ({ principal, query }) => {
    if (query.threadId !== undefined) await threads.get(principal, query.threadId);
    return costs.costs(principal.userId, query);
  },
  getBudgets: async ({ principal, query }) => {
    const thread = query.threadId === undefined ? undefined : await threads.get(principal, query.threadId);
    return { budgets: await costs.budgets(principal.userId, thread?.id ?? null) };
  },
  setBudget: async ({ principal, body }) => ({ budgets: await costs.setBudget(principal.userId, body) }),
});

type ServerRoute =
  | "listServers"
  | "listServerPrompts"
  | "fillServerPrompt"
  | "addServer"
  | "removeServer"
  | "acceptTool"
  | "signInToServer"
  | "finishSignIn"
  | "signOutOfServer";

/** MCP servers of the user and the operator. Every change returns the status of all servers. */
function createMcpServerHandlers(mcp: McpServers): Pick<Handlers, ServerRoute> {
  const list = async (userId: string): Promise<{ servers: ServerStatus[] }> => ({
    servers: (await mcp.status(userId)).map(({ changes, tools, problems, headers, ...status }) => ({
      ...status,
      ...(headers ? { headers: [...headers] } : {}),
      tools: [...tools],
      problems: [...problems],
      changes: changes.map(({ tool, hash, lines }) => ({ tool, hash, lines: [...lines] })),
    })),
  });
  return {
    listServers: ({ principal }) => list(principal.userId),
    listServerPrompts: async ({ principal }) => ({
      prompts: (await mcp.listPrompts(principal.userId)).map((prompt) => ({
        ...prompt,
        arguments: [...prompt.arguments],
      })),
    }),
    fillServerPrompt: async ({ principal, params, body }) => ({
      text: await mcp.fillPrompt(principal.userId, params.server, body),
    }),
    addServer: async ({ principal: { userId }, body }) => {
      await mcp.add(userId, body);
      return list(userId);
    },
    removeServer: async ({ principal: { userId }, params }) => {
      await mcp.remove(userId, params.server);
      return list(userId);
    },
    acceptTool: async ({ principal: { userId }, params, body }) => {
      await mcp.accept(userId, params.server, body.tool, body.hash);
      return list(userId);
    },
    signInToServer: async ({ principal, params }) => ({ url: await mcp.signIn(principal.userId, params.server) }),
    finishSignIn: async ({ principal: { userId }, query }) => {
      await mcp.finishSignIn(userId, query);
      return list(userId);
    },
    signOutOfServer: async ({ principal: { userId }, params }) => {
      await mcp.signOut(userId, params.server);
      return list(userId);
    },
  };
}

type MemoryRoute = "getMemory" | "setMemory" | "undoMemory" | "forgetMemory" | "exportMemory" | "memoryOfThread";

/** The user's own memory. No id of another user can be given. */
const createMemoryHandlers = (memory: Memory, threads: Threads): Pick<Handlers, MemoryRoute> => ({
  getMemory: async ({ principal: { userId }, query }) => ({
    memory: await memory.view(userId),
    changes: [...(await memory.history(userId, query.limit))],
  }),
  setMemory: async ({ principal, body }) => ({ memory: await memory.set(principal.userId, body) }),
  undoMemory: async ({ principal, body }) => ({ memory: await memory.undo(principal.userId, body) }),
  forgetMemory: async ({ principal, body }) => ({
    memory: await memory.forget(principal.userId, body),
    text: `Deleted ${toWords(body)}, with its history. This cannot be undone.`,
  }),
  exportMemory: async ({ principal: { userId } }) => {
    const { changes, ...taken } = await memory.export(userId);
    return { ...taken, changes: [...changes] };
  },
  memoryOfThread: async ({ principal, params }) => {
    const { id } = await threads.get(principal, params.threadId);
    const { changes, fields } = await memory.ofThread(principal.userId, id);
    return { changes: [...changes], fields: [...fields] };
  },
});

/** The attached file that an artifact is the text of. */
async function findOriginal(
  read: Pick<Reads, "attachment" | "attachmentsById">,
  { id: threadId, owner, shared }: RowOf<"threads">,
  meta: string,
) {
  const { attachment: id, share = 1 } = JSON.parse(meta) as { attachment?: unknown; share?: number };
  if (typeof id !== "string") return null;
  const row =
    shared === 0
      ? await read.attachment(owner, id)
      : (await read.attachmentsById(id)).find(({ thread }) => thread === threadId);
  return row ? { id: row.id, sizeBytes: row.size_bytes, pageCount: row.page_count, share } : null;
}

type ForgetScope = { readonly field?: MemoryField | undefined; readonly threadId?: string | undefined };

const toWords = ({ field, threadId }: ForgetScope): string => {
  if (threadId === undefined) return field === undefined ? "all memory about you" : `your ${field}`;
  return `the memory from this thread${field === undefined ? "" : ` about your ${field}`}`;
};

type PreviewRoute = "openPreview" | "listLogs" | "reportLogs";

/** Preview logs are reported by the page of the user who has the preview open. */
const createPreviewHandlers = (previews: Previews): Pick<Handlers, PreviewRoute> => ({
  openPreview: ({ principal, params }) => previews.open(principal, params.projectId),
  listLogs: ({ principal, params, query }) => previews.list(principal, params.projectId, query),
  reportLogs: ({ principal, params, body }) => previews.report(principal, params.projectId, body),
});

type WorkspaceRoute = "listFiles" | "getFile" | "writeFiles" | "restoreFiles";

/** Every file is authorized through the project it belongs to. */
const createWorkspaceHandlers = (workspaces: Workspaces): Pick<Handlers, WorkspaceRoute> => ({
  listFiles: ({ principal, params, query }) => workspaces.list(principal.userId, params.projectId, query.at),
  getFile: ({ principal, params, query }) => workspaces.get(principal.userId, params.projectId, query.path, query.at),
  writeFiles: ({ principal, params, body }) => workspaces.write(principal.userId, params.projectId, body),
  restoreFiles: ({ principal, params, body }) => workspaces.restore(principal.userId, params.projectId, body),
});
