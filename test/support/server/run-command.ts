import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { withCompileCache } from "./child.ts";

const root = join(import.meta.dirname, "../../..");

export type Environment = Readonly<Record<string, string>>;
export type CommandResult = { readonly code: number | null; readonly out: string; readonly err: string };

export function spawnCommand(
  args: readonly string[],
  env: Environment,
  flags: readonly string[] = [],
): ChildProcessWithoutNullStreams {
  const { PATH = "" } = process.env;
  return spawn(process.execPath, [...flags, join(root, "server/main.ts"), ...args], {
    cwd: root,
    env: { PATH, ...withCompileCache, ...env },
  });
}

/** Runs `stonechat ARGS` in another process. */
export async function runCommand(
  args: readonly string[],
  env: Environment,
  flags?: readonly string[],
): Promise<CommandResult> {
  const child = spawnCommand(args, env, flags);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ]);
  return { code, out, err };
}

/** Fails with the output if the command fails. */
export async function mustRun(args: readonly string[], env: Environment): Promise<string> {
  const { code, out, err } = await runCommand(args, env);
  if (code !== 0) throw new Error(`stonechat ${args.join(" ")} ended with ${code}.\n${err}${out}`);
  return out;
}

export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
