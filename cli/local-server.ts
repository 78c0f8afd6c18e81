import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

type LocalServer = { readonly url: string; readonly close: () => Promise<void> };

/** The code is compiled in the npm package. */
const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const main = fileURLToPath(new URL(`../server/main.${extension}`, import.meta.url));

/**
 * Starts a server on the data in a folder, for the time of one command. It has a separate process group, so that Ctrl+C does
 * not reach it, and stops when its channel to this process closes, even if this process is killed.
 */
export async function startLocalServer(folder: string): Promise<LocalServer> {
  const env = { ...process.env, STONECHAT_DATA: resolve(folder), STONECHAT_HOST: "127.0.0.1", STONECHAT_PORT: "0" };
  const child = spawn(process.execPath, [main], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // The last two are settings of the command line.
    env: {
      ...env,
      STONECHAT_DATABASE_URL: "",
      STONECHAT_LOG: "error",
      STONECHAT_URL: undefined,
      STONECHAT_KEY: undefined,
    },
  }) as ChildProcessByStdio<null, Readable, Readable>;
  // "close" is not emitted after `disconnect`.
  const ended = once(child, "exit");
  const problem = text(child.stderr);
  const ready = Promise.withResolvers<string>();
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    // It keeps being read, so that the server is not blocked by a full pipe.
    if (output.length < 10_000) output += piece;
    const [, url] = /^Stonechat is ready: (\S+)$/m.exec(output) ?? [];
    if (url !== undefined) ready.resolve(url);
  });
  void ended.then(async () => ready.reject(new Error((await problem).trim() || "The server stopped.")));
  const url = await ready.promise;
  return {
    url,
    close: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
