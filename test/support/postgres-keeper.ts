import { spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Runs one PostgreSQL for `postgres.ts` in a separate process and stops it when the test process is gone, even after a
 * crash: when the channel to the parent closes, the server is killed and its folder removed.
 */
export type KeeperOrder = {
  readonly home: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly runAs: { readonly uid: number; readonly gid: number } | undefined;
};
export type ToKeeper = { readonly start: KeeperOrder } | { readonly signal: NodeJS.Signals };
export type FromKeeper =
  | { readonly kind: "ready"; readonly pid: number }
  | { readonly kind: "ended"; readonly log: string };

let server: ChildProcess | undefined;
let home: string | undefined;

process.on("message", (message: ToKeeper) => {
  if ("signal" in message) server?.kill(message.signal);
  else start(message.start);
});

process.on("disconnect", () => {
  if (server) {
    server.once("close", leave);
    server.kill("SIGQUIT");
    setTimeout(() => server?.kill("SIGKILL"), 2_000).unref();
  } else leave();
});

function start(order: KeeperOrder): void {
  home = order.home;
  let log = "";
  const child = spawn(order.program, order.args, {
    cwd: order.home,
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
    ...order.runAs,
  });
  server = child;
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    const wasReady = isReady(log);
    log = (log + text).slice(-100_000);
    appendFileSync(join(order.home, "postgres.log"), text);
    if (!wasReady && isReady(log)) tell({ kind: "ready", pid: child.pid ?? 0 });
  });
  child.on("error", (error) => (log += `${error.message}\n`));
  child.on("close", () => {
    if (server === child) server = undefined;
    tell({ kind: "ended", log });
  });
}

const isReady = (log: string): boolean => log.includes("database system is ready to accept connections");

function tell(message: FromKeeper): void {
  if (process.connected) process.send?.(message);
}

function leave(): void {
  if (home) rmSync(home, { recursive: true, force: true });
}
