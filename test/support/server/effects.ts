import { appendFileSync, readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Tool, ToolContext, ToolResult } from "../../../server/tools/tool.ts";

/**
 * Tools whose effects can be counted from outside: each execution appends a line to a file, which survives crashes of
 * the server. One tool of each class, one that writes our own database, and two that misstate their class, for
 * controls.
 */
const Input = z.object({
  /** Identifies this call in the counts; a test uses each token once. */
  token: z.string(),
  beforeMs: z.number().default(0),
  afterMs: z.number().default(0),
  /** How many executions of `effect_exit` and `effect_block` stop the process. */
  times: z.number().default(0),
  /** The call needs approval. */
  asks: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

/** One execution. `key` is the idempotency key for an outside service. */
export type Effect = { readonly tool: string; readonly token: string; readonly key: string; readonly pid: number };

const fileOf = (folder: string): string => join(folder, "effects.jsonl");

export function readEffects(folder: string): readonly Effect[] {
  try {
    const lines = readFileSync(fileOf(folder), "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Effect);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Marks the rows in `members` that `effect_own` has committed. */
export const OWN_ROLE = "effect";

export function createEffects(folder: string): readonly Tool<Input>[] {
  const record = (tool: string, token: string, key: string): void => {
    const effect: Effect = { tool, token, key, pid: process.pid };
    appendFileSync(fileOf(folder), `${JSON.stringify(effect)}\n`);
  };

  type Form = {
    readonly name: string;
    readonly repeat: Tool["repeat"];
    readonly keyOf?: (context: ToolContext) => string;
    readonly commit?: (token: string) => ToolResult["commit"];
    readonly stop?: () => void;
  };

  const toTool = ({ name, repeat, keyOf = ({ key }) => key, commit, stop }: Form): Tool<Input> => ({
    name,
    description: `Has a countable effect, as a tool of the class ${repeat}.`,
    input: Input as z.ZodType<Input>,
    approvalReason: ({ asks }) => (asks ? "It has an effect." : undefined),
    repeat,
    effects: ["read"],
    limits: { timeoutMs: 60_000 },
    execute: async ({ token, beforeMs, afterMs, times }, context) => {
      if (beforeMs > 0) await pause(beforeMs, undefined, { signal: context.signal });
      record(name, token, keyOf(context));
      if (readEffects(folder).filter((effect) => effect.token === token).length <= times) stop?.();
      if (afterMs > 0) await pause(afterMs, undefined, { signal: context.signal });
      const effect = commit?.(token);
      return { output: { token }, ...(effect ? { commit: effect } : {}) };
    },
  });

  return [
    toTool({ name: "effect_pure", repeat: "pure" }),
    toTool({ name: "effect_keyed", repeat: "keyed" }),
    toTool({ name: "effect_once", repeat: "once" }),
    toTool({
      name: "effect_own",
      repeat: "pure",
      commit: (token) => ({
        events: [],
        writes: [{ do: "insert", table: "members", row: { object: token, person: randomUUID(), role: OWN_ROLE } }],
      }),
    }),
    toTool({ name: "effect_exit", repeat: "pure", stop: () => process.kill(process.pid, "SIGKILL") }),
    toTool({
      name: "effect_block",
      repeat: "pure",
      stop: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
    }),
    toTool({ name: "effect_careless", repeat: "pure" }),
    toTool({ name: "effect_keyless", repeat: "keyed", keyOf: () => randomUUID() }),
  ];
}
