import { packageScript, passSignals, runInForeground } from "./program.js";

/**
 * The server, restarted when its files change, and beside it Vite, which serves the page and reloads it. When one ends, so
 * does the other.
 * @param {import("./program.js").Runtime} runtime
 */
export async function runDev(runtime) {
  // Until both have ended a signal is theirs, also the one we send.
  const stopPassing = passSignals(() => {});
  const server = runInForeground(runtime, ["--watch", "--watch-preserve-output", "server/main.ts"]);
  const page = runInForeground(runtime, [packageScript("vite/bin/vite.js")]);
  const code = await Promise.race([server, page]);
  process.kill(process.pid, "SIGTERM");
  await Promise.all([server, page]);
  stopPassing();
  return code;
}
