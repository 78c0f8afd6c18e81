import { packageScript, passSignals, runInForeground } from "./program.js";

/**
 * Runs the server, restarted when its files change, and Vite, which serves and reloads the page. When one exits, the other
 * is stopped.
 * @param {import("./program.js").Runtime} runtime
 */
export async function runDev(runtime) {
  // Until both have exited, signals are left to them, including the one sent here.
  const stopPassing = passSignals(() => {});
  const server = runInForeground(runtime, ["--watch", "--watch-preserve-output", "server/main.ts"]);
  const page = runInForeground(runtime, [packageScript("vite/bin/vite.js")]);
  const code = await Promise.race([server, page]);
  process.kill(process.pid, "SIGTERM");
  await Promise.all([server, page]);
  stopPassing();
  return code;
}
