import type { Call } from "../../../protocol/api.ts";
import type { Reason, RunView, Usage } from "../../../protocol/run.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Costs } from "../../cost/cost.ts";
import type { Seal } from "../../lib/seal.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Models } from "../../model/model.ts";
import type { Contexts } from "../../run/context-api.ts";
import { openCatalog } from "../../run/open-catalog.ts";
import { toRunState } from "../../run/state.ts";
import type { RowOf } from "../../store/schema.ts";
import type { z } from "zod";
import type { Projects } from "../../project/project.ts";
import type { Store, Reads } from "../../store/contract.ts";
import { toPreferences } from "../../store/parse-rows.ts";
import type { Summaries } from "../../summary/summary.ts";
import type { UserActions } from "../../thread/user-actions.ts";
import type { Threads } from "../../thread/threads.ts";
import type { GetCatalog } from "../../tools/catalog.ts";
import { commands } from "../../tools/commands.ts";
import type { McpServers } from "../../tools/mcp/servers.ts";
import type { Previews } from "../../workspace/preview.ts";
import type { Workspaces } from "../../workspace/workspace.ts";
import { createProjectHandlers } from "./projects.ts";
import { createSettingsHandlers, type SettingsDeps } from "./settings.ts";
import { createSummaryHandlers } from "./summaries.ts";
import type { Handlers } from "../route-types.ts";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import type { MemoryField } from "../../../protocol/memory.ts";

type Options = {
  readonly store: Store;
  readonly threads: Threads;
  readonly admit: UserActions;
  readonly models: Models;
  readonly memory: Memory;
  readonly projects: Projects;
  readonly costs: Costs;
  readonly contexts: Contexts;
  readonly catalogOf: GetCatalog;
  readonly summaries: Summaries;
  readonly mcp: McpServers;
  readonly previews: Previews;
  readonly workspaces: Workspaces;
  readonly settings: SettingsDeps;
  readonly seal: Seal;
  readonly signIn: "none" | "token";
  readonly version: string;
};

/** The handlers of all routes. Every id in a request is authorized for the caller before it is used. */
export function createHandlers(options: Options): Handlers {
  const { store, threads, admit, models, memory, costs, contexts, catalogOf, mcp, seal, signIn, version } = options;
  const { read } = store;
  return {
    getMe: async ({ principal }) => ({ userId: principal.userId, signIn, defaultModel: models.defaultId, version }),
    listModels: async () => {
      await models.refresh();
      return { models: [...models.list()] };
    },
    search: ({ principal, query }) => threads.search(principal, query),

    listThreads: ({ principal, query }) => threads.list(principal, query),
    createThread: ({ principal, body }) => threads.create(principal, body),
    getThread: ({ principal, params, query }) => threads.open(principal, params.threadId, query.limit),
    changeThread: ({ principal, params, body }) => admit.change(principal, params.threadId, body),
    deleteThread: ({ principal, params, query }) =>
      threads.remove(principal, params.threadId, { forget: query.forget === "true" }),

    listMessages: ({ principal, params, query }) => threads.listMessages(principal, params.threadId, query),
    sendMessage: ({ principal, params, body }) => admit.send(principal, params.threadId, body),
    editMessage: ({ principal, params, body }) => admit.edit(principal, params.threadId, params.messageId, body),
    regenerateMessage: ({ principal, params, body }) =>
      admit.regenerate(principal, params.threadId, params.messageId, body),
    activateMessage: ({ principal, params, body }) =>
      admit.activate(principal, params.threadId, params.messageId, body),
    stopRun: ({ principal, params, body }) => admit.stop(principal, params.threadId, body),
    decideCall: ({ principal, params, body }) => admit.decide(principal, params.threadId, body),
    answerQuestion: ({ principal, params, body }) => admit.answer(principal, params.threadId, body),
    continueRun: ({ principal, params, body }) => admit.continueRun(principal, params.threadId, body),
    retryRun: ({ principal, params, body }) => admit.retry(principal, params.threadId, body),
    withdrawInput: ({ principal, params }) => admit.withdraw(principal, params.threadId, params.inputId),

    listRuns: async ({ principal, params, query }) => {
      const thread = await threads.get(principal, params.threadId);
      return { runs: (await read.runs(thread.id, query.limit)).map(toRun) };
    },
    getRun: async ({ principal, params }) => {
      const thread = await threads.get(principal, params.threadId);
      const run = ofThread(await read.run(params.runId), thread.id);
      return { run: toRun(run), calls: (await read.calls(thread.id, run.id)).map(toCall) };
    },
    getArtifact: async ({ principal, params }) => {
      const thread = await threads.get(principal, params.threadId);
      const row = ofThread(await read.artifact(thread.id, params.ref), thread.id);
      const { id, ref, kind, title, url, type, hash, body: text, created_at: createdAt } = row;
      const attachment = await findOriginal(read, principal.userId, row.meta);
      return { id, ref, kind, title, url, type, hash, text, createdAt, attachment };
    },
    revealValue: async ({ principal, params, body }) => {
      const thread = await threads.get(principal, params.threadId);
      const rows = await read.hiddenValues(thread.id);
      const row = ofThread(
        rows.find(({ placeholder }) => placeholder === body.placeholder),
        thread.id,
      );
      return { value: seal.decrypt(row.sealed) };
    },
    listTools: async ({ principal }) => {
      const ownerId = principal.userId;
      const preferences = toPreferences(await read.preferences(ownerId));
      const [{ tools }, { find }] = await Promise.all([
        catalogOf(ownerId),
        openCatalog({ catalogOf }, { ownerId, isTemporary: false, preferences }),
      ]);
      return {
        tools: tools.map(({ name, description, repeat, effects }) => ({
          ...{ name, description, repeat, effects: [...effects] },
          ...(find(name) ? {} : { off: true as const }),
        })),
        commands: commands.flatMap(({ command, tool, about }) => (find(tool) ? [{ command, tool, about }] : [])),
      };
    },
    ...createContextHandlers(contexts, threads, read),
    ...createMcpServerHandlers(mcp),
    ...createSettingsHandlers(options.settings),
    ...createWorkspaceHandlers(options.workspaces),
    ...createSummaryHandlers(threads, options.summaries),
    ...createMemoryHandlers(memory, threads),
    ...createPreviewHandlers(options.previews),
    ...createCostHandlers(costs, threads),
    ...createProjectHandlers(options.projects),
  };
}

/** An id of another thread gets the same error as an unknown id. */
function ofThread<T extends { readonly thread: string }>(row: T | undefined, threadId: string): T {
  if (row?.thread === threadId) return row;
  throw new ApiError("not-found", "Not found.");
}

const toRun = (row: RowOf<"runs">): RunView => toRunState(row).view;

const toCall = (row: RowOf<"calls">): z.infer<typeof Call> => ({
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

type ContextRoute =
  | "getContext"
  | "listReceipts"
  | "getReceipt"
  | "getRequest"
  | "previewContext"
  | "undoEpoch"
  | "addPin"
  | "removePin";

/** Receipts, pins, compactions and the prompt preview. Every id is authorised through its thread. */
function createContextHandlers(
  contexts: Contexts,
  threads: Threads,
  read: Pick<Reads, "receipt">,
): Pick<Handlers, ContextRoute> {
  const receiptOf = async (threadId: string, receiptId: string) => {
    const row = await read.receipt(receiptId);
    if (row?.thread === threadId) return row;
    throw new ApiError("not-found", "Not found.");
  };
  return {
    getContext: async ({ principal, params }) => contexts.view(await threads.get(principal, params.threadId)),
    listReceipts: async ({ principal, params, query }) => {
      const { id } = await threads.get(principal, params.threadId);
      const before = query.before === undefined ? null : await receiptOf(id, query.before);
      return contexts.receipts(id, query.limit, before);
    },
    getReceipt: async ({ principal, params }) => {
      const { id } = await threads.get(principal, params.threadId);
      return contexts.receipt(await receiptOf(id, params.receiptId));
    },
    getRequest: async ({ principal, params }) => {
      const { id } = await threads.get(principal, params.threadId);
      return contexts.request(await receiptOf(id, params.receiptId));
    },
    previewContext: async ({ principal, params, body }) =>
      contexts.preview(await threads.get(principal, params.threadId), body),
    undoEpoch: async ({ principal, params }) => {
      const { id } = await threads.get(principal, params.threadId);
      return contexts.undoEpoch(id, params.epochId);
    },
    addPin: async ({ principal, params, body }) => {
      const { id } = await threads.get(principal, params.threadId);
      return contexts.addPin(id, body);
    },
    removePin: async ({ principal, params }) => {
      const { id } = await threads.get(principal, params.threadId);
      return contexts.removePin(id, params.pinId);
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
  | "addServer"
  | "removeServer"
  | "acceptTool"
  | "signInToServer"
  | "finishSignIn"
  | "signOutOfServer";

/** MCP servers of the user and the operator. Every change returns the status of all servers. */
function createMcpServerHandlers(mcp: McpServers): Pick<Handlers, ServerRoute> {
  const list = async (userId: string): Promise<{ servers: ServerStatus[] }> => ({
    servers: (await mcp.status(userId)).map(({ changes, tools, problems, ...status }) => ({
      ...status,
      tools: [...tools],
      problems: [...problems],
      changes: changes.map(({ tool, hash, lines }) => ({ tool, hash, lines: [...lines] })),
    })),
  });
  return {
    listServers: ({ principal }) => list(principal.userId),
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
async function findOriginal(read: Pick<Reads, "attachment">, userId: string, meta: string) {
  const { attachment: id, share = 1 } = JSON.parse(meta) as { attachment?: unknown; share?: number };
  const row = typeof id === "string" ? await read.attachment(userId, id) : undefined;
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

/** Every file is authorised through the project it belongs to. */
const createWorkspaceHandlers = (workspaces: Workspaces): Pick<Handlers, WorkspaceRoute> => ({
  listFiles: ({ principal, params, query }) => workspaces.list(principal.userId, params.projectId, query.at),
  getFile: ({ principal, params, query }) => workspaces.get(principal.userId, params.projectId, query.path, query.at),
  writeFiles: ({ principal, params, body }) => workspaces.write(principal.userId, params.projectId, body),
  restoreFiles: ({ principal, params, body }) => workspaces.restore(principal.userId, params.projectId, body),
});
