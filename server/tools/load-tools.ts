import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { CreateTool, Tool, ToolDeps } from "./tool.ts";

/** Compiled in the npm package. */
const isTool = (name: string): boolean => /\.tool\.[jt]s$/.test(name);

/** Loads every `*.tool.ts` in this folder: to add a tool, add its file. */
export async function loadTools(deps: ToolDeps, folder: string = import.meta.dirname): Promise<readonly Tool[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => isTool(name)).toSorted();
  const created = await Promise.all(
    files.map(async (file) => {
      const { default: create } = (await import(join(folder, file))) as { default: CreateTool };
      return create(deps) ?? [];
    }),
  );
  return created.flat();
}
