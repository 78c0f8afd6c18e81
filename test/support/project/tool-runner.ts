import { systemClock } from "../../../server/lib/clock.ts";
import { createLog } from "../../../server/log/log.ts";
import { createCatalog } from "../../../server/tools/catalog.ts";
import { loadTools } from "../../../server/tools/load-tools.ts";
import type { Tool } from "../../../server/tools/tool.ts";
import { put, rows } from "../store-rows.ts";
import { toolContext, toolDeps } from "../server/tool-context.ts";
import type { StoreFixture } from "../stores.ts";

export type Place = { readonly projectId?: string | null; readonly focusId?: string | null; readonly key?: string };
export type ToolRunResult = { readonly input: unknown; readonly output: never; readonly written: boolean };

/** Calls tools like a run does: arguments are completed and validated, and their writes committed. */
export async function openToolRunner(bench: StoreFixture, userId: string = bench.id("user")) {
  const store = bench.store();
  const catalog = createCatalog(await loadTools(toolDeps));
  const log = createLog({ store, clock: systemClock, onError: () => {} });
  await put(store, { do: "put", table: "users", row: rows.user(userId) });

  const find = (name: string): Tool => {
    const tool = catalog.find(name);
    if (!tool) throw new Error(`there is no tool ${name}`);
    return tool;
  };
  /** The plan, before anything is stored. */
  const plan = async (name: string, given: object, { projectId = null, focusId = null, key }: Place = {}) => {
    const tool = find(name);
    const scope = { threadId: "t", projectId, focusId };
    const input = tool.input.parse(tool.fill?.(given as Record<string, unknown>, scope) ?? given);
    const context = toolContext({ ...scope, userId, read: store.read, key: key ?? bench.id("key") });
    return { input, ...(await tool.execute(input, context)) };
  };
  return {
    userId,
    catalog,
    find,
    plan,
    close: () => log.close(),
    call: async (name: string, given: object, place: Place = {}): Promise<ToolRunResult> => {
      const { input, output, commit } = await plan(name, given, place);
      const result = commit && (await log.commit(commit));
      if (result && !result.ok) throw new Error(`the writes of ${name} were refused: ${result.why}`);
      return { input, output: output as never, written: commit !== undefined };
    },
  };
}
