import { ApiError } from "../../../protocol/errors.ts";
import type { Costs } from "../../cost/cost.ts";
import type { Seal } from "../../lib/seal.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Models } from "../../model/model.ts";
import type { Contexts } from "../../run/contexts.ts";
import { toCall, toRun } from "../../run/views.ts";
import type { Projects } from "../../project/project.ts";
import type { Store } from "../../store/contract.ts";
import type { Summaries } from "../../summary/summary.ts";
import type { Admit } from "../../thread/admit.ts";
import type { Threads } from "../../thread/threads.ts";
import type { Catalogs } from "../../tools/catalog.ts";
import { commands } from "../../tools/commands.ts";
import type { McpServers } from "../../tools/mcp/servers.ts";
import type { Previews } from "../../workspace/preview.ts";
import type { Workspaces } from "../../workspace/workspace.ts";
import { createContextHandlers } from "./context.ts";
import { createCostHandlers } from "./costs.ts";
import { createMemoryHandlers } from "./memory.ts";
import { createPreviewHandlers } from "./preview.ts";
import { createProjectHandlers } from "./projects.ts";
import { createSettingsHandlers, type SettingsDeps } from "./settings.ts";
import { createMcpServerHandlers } from "./mcp-servers.ts";
import { createSummaryHandlers } from "./summaries.ts";
import { createWorkspaceHandlers } from "./workspaces.ts";
import type { Handlers } from "../route-types.ts";

type Options = {
  readonly store: Store;
  readonly threads: Threads;
  readonly admit: Admit;
  readonly models: Models;
  readonly memory: Memory;
  readonly projects: Projects;
  readonly costs: Costs;
  readonly contexts: Contexts;
  readonly catalogOf: Catalogs;
  readonly summaries: Summaries;
  readonly mcp: McpServers;
  readonly previews: Previews;
  readonly workspaces: Workspaces;
  readonly settings: SettingsDeps;
  readonly seal: Seal;
  readonly signIn: "none" | "token";
  readonly version: string;
};

/** Each route's answer. Every id is authorised through the thread it belongs to. */
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

    listMessages: ({ principal, params, query }) => threads.earlier(principal, params.threadId, query),
    sendMessage: ({ principal, params, body }) => admit.send(principal, params.threadId, body),
    editMessage: ({ principal, params, body }) => admit.edit(principal, params.threadId, params.messageId, body),
    regenerateMessage: ({ principal, params, body }) =>
      admit.regenerate(principal, params.threadId, params.messageId, body),
    activateMessage: ({ principal, params, body }) =>
      admit.activate(principal, params.threadId, params.messageId, body),
    stopRun: ({ principal, params, body }) => admit.stop(principal, params.threadId, body),
    decideCall: ({ principal, params, body }) => admit.decide(principal, params.threadId, body),
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
      return { id, ref, kind, title, url, type, hash, text, createdAt };
    },
    revealValue: async ({ principal, params, body }) => {
      const thread = await threads.get(principal, params.threadId);
      const rows = await read.hiddenValues(thread.id);
      const row = ofThread(
        rows.find(({ placeholder }) => placeholder === body.placeholder),
        thread.id,
      );
      return { value: seal.open(row.sealed) };
    },
    listTools: async ({ principal }) => {
      const { tools, find } = await catalogOf(principal.userId);
      return {
        tools: tools.map(({ name, description, repeat, effects }) => ({
          name,
          description,
          repeat,
          effects: [...effects],
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

/** An id that exists in another thread is as unknown here as one that does not. */
function ofThread<T extends { readonly thread: string }>(row: T | undefined, threadId: string): T {
  if (row?.thread === threadId) return row;
  throw new ApiError("not-found", "There is nothing of yours under this id.");
}
