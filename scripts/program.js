import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { isPackaged, root, runtimeFolder, say } from "./project.js";

/**
 * Runs other programs. Each gets the right Node first in its PATH and the signals sent to us; its exit code becomes ours.
 * @typedef {{ readonly node: string }} Runtime
 * @typedef {{ readonly code: number, readonly output: string }} Ended
 */

/**
 * The compile cache makes the server start a third faster.
 * @param {Runtime} runtime @param {Record<string, string>} [extra]
 * @returns {NodeJS.ProcessEnv}
 */
export function toEnvironment(runtime, extra = {}) {
  const pathName = Object.keys(process.env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  const path = [dirname(runtime.node), join(root, "node_modules/.bin"), process.env[pathName] ?? ""].join(delimiter);
  return { NODE_COMPILE_CACHE: join(runtimeFolder, "compile-cache"), ...process.env, [pathName]: path, ...extra };
}

/**
 * Runs a program in the foreground, in the same terminal and process group, so that it gets Ctrl-C and signals to the
 * group directly. A signal sent only to us is passed on, so a program may get the same signal twice. `countsInterrupts`: the
 * program must not get Ctrl-C twice, so it is not passed on.
 * @param {Runtime} runtime @param {readonly string[]} args
 * @param {{ env?: Record<string, string>, cwd?: string, countsInterrupts?: boolean }} [options]
 * @returns {Promise<number>} its exit code, or 128 + the signal's number
 */
export function runInForeground(runtime, args, { env = {}, cwd = root, countsInterrupts = false } = {}) {
  const child = spawn(runtime.node, args, { cwd, stdio: "inherit", env: toEnvironment(runtime, env) });
  const stopPassing = passSignals((signal) => {
    if (!(countsInterrupts && signal === "SIGINT")) child.kill(signal);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      stopPassing();
      resolve(toExitCode(code, signal));
    });
  });
}

/**
 * Runs a program and captures its output, for steps whose output matters only if they fail.
 * @param {Runtime} runtime @param {readonly string[]} args
 * @param {{ env?: Record<string, string>, cwd?: string }} [options]
 * @returns {Promise<Ended>}
 */
export function runQuietly(runtime, args, { env = {}, cwd = root } = {}) {
  const child = spawn(runtime.node, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: toEnvironment(runtime, env),
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code: toExitCode(code, signal), output }));
  });
}

/**
 * Runs a slow program: shows its output, and a line every ten seconds as a sign of progress.
 * @param {string} program @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<number>} its exit code; 127 if the program does not exist
 */
export function runPatiently(program, args, options = {}) {
  const startedAt = Date.now();
  const child = spawn(program, args, { cwd: root, stdio: "inherit", ...options });
  const ticker = setInterval(() => say(`... ${Math.round((Date.now() - startedAt) / 1000)} s`), 10_000);
  return new Promise((resolve) => {
    child.once("error", () => resolve(127));
    child.once("exit", (code, signal) => resolve(toExitCode(code, signal)));
  }).finally(() => clearInterval(ticker));
}

/**
 * Calls `pass` for every signal that asks us to exit. npm runs us through a shell that dies on SIGTERM without passing it
 * on, so the death of the parent counts as a signal; but the package's command may be left running by the shell that started it.
 * @param {(signal: NodeJS.Signals) => void} pass
 * @returns {() => void}
 */
export function passSignals(pass) {
  const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
  for (const signal of signals) process.on(signal, pass);
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent || isDetachable) return;
    clearInterval(watch);
    pass("SIGTERM");
  }, 100);
  return () => {
    clearInterval(watch);
    for (const signal of signals) process.off(signal, pass);
  };
}

const isDetachable = isPackaged && process.env["npm_lifecycle_event"] === undefined;

/** @param {number | null} code @param {NodeJS.Signals | null} signal */
export function toExitCode(code, signal) {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

/** @param {string} name of a package and its script, such as `vite/bin/vite.js` */
export function packageScript(name) {
  return join(root, "node_modules", name);
}

/** @param {string} name @returns {boolean} */
export function isInPath(name) {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, name)));
}
