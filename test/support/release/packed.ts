import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { findFreePort } from "../free-port.ts";

export const root = join(import.meta.dirname, "../../..");

export type CommandResult = { readonly code: number | null; readonly out: string; readonly err: string };
type Options = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
};

/** Settings of the developer's environment, and the project's npm, do not reach what is tested. */
export const cleanEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^STONECHAT_|_API_KEY$|_BASE_URL$|^NODE_OPTIONS$|^NODE_ENV$|^NODE_COMPILE_CACHE$/.test(name),
    ),
  );

export async function run(program: string, args: readonly string[], options: Options = {}): Promise<CommandResult> {
  const { cwd = root, env = {}, input = "" } = options;
  const child = spawn(program, [...args], { cwd, env: { ...cleanEnvironment(), ...env } });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number | null, out, err };
}

/** Runs a program that must end with code 0. */
export async function runWell(program: string, args: readonly string[], options: Options = {}): Promise<string> {
  const { code, out, err } = await run(program, args, options);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with code ${code}.\n${out}\n${err}`);
  return out;
}

/** A folder on the disk of the project, because installed packages are too large for memory. */
export function makeFolder(): string {
  mkdirSync(join(root, ".runtime"), { recursive: true });
  return mkdtempSync(join(root, ".runtime/release-"));
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** Deleted after the test. `isOutside`: not in the clone, whose package.json npm would find. */
export function createFolder(isOutside = false): string {
  const disk = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
  const folder = isOutside ? mkdtempSync(join(disk, "stonechat-release-")) : makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** Runs `npm pack` in this clone or another one. Returns the path of the tarball. */
export async function pack(folder: string, clone = root): Promise<string> {
  const env = { npm_config_loglevel: "error" };
  await runWell("npm", ["pack", "--pack-destination", folder], { cwd: clone, env });
  const name = readdirSync(folder).find((one) => one.endsWith(".tgz"));
  if (name === undefined) throw new Error("npm pack made no package.");
  return join(folder, name);
}

export type InstalledPackage = {
  /** Runs `stonechat ...ARGS`. */
  readonly stonechat: (args: readonly string[], options?: Options) => Promise<CommandResult>;
  /** Runs `stonechat`. Resolves when it is ready. */
  readonly start: () => Promise<Running>;
  readonly url: string;
  /** The home folder of its user. */
  readonly home: string;
};

export type Running = {
  readonly output: () => string;
  /** SIGTERM. Resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
};

/** The command of an installed package, in an own home folder and on an own port. */
export async function openInstalled(
  command: readonly [string, ...string[]],
  folder: string,
): Promise<InstalledPackage> {
  const port = await findFreePort();
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const env = { HOME: home, STONECHAT_PORT: String(port), STONECHAT_LOG: "error" };
  const [program, ...first] = command;
  return {
    home,
    url: `http://127.0.0.1:${port}`,
    stonechat: (args, options = {}) =>
      run(program, [...first, ...args], { cwd: home, ...options, env: { ...env, ...options.env } }),
    start: () => startProgram(program, first, { cwd: home, env }),
  };
}

export async function startProgram(program: string, args: readonly string[], options: Options): Promise<Running> {
  const { cwd = root, env = {} } = options;
  const child = spawn(program, [...args], {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (output += piece));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
      if (output.includes("Stonechat is ready")) resolve();
    });
    void ended.then(([code, signal]) =>
      reject(new Error(`It ended (${code ?? signal}) before it was ready.\n${output}`)),
    );
  });
  return {
    output: () => output,
    stop: async () => {
      child.kill("SIGTERM");
      return (await ended)[0];
    },
  };
}
