import { ConfigError } from "./config/config-error.ts";
import { readConfig } from "./config/config.ts";
import { serve, type Server } from "./serve.ts";

/** Node can hang in its own exit; this much later the process is gone whatever happens. */
const EXIT_GRACE_MS = 8_000;

try {
  const server = await serve(readConfig());
  console.log(`Stonechat is ready: ${server.url}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop(server));
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof Error;
  console.error(`Stonechat cannot start: ${expected ? error.message : String(error)}`);
  process.exit(1);
}

async function stop(server: Server): Promise<void> {
  setTimeout(() => process.kill(process.pid, "SIGKILL"), EXIT_GRACE_MS).unref();
  await server.close().catch((error: unknown) => console.error("Stonechat did not stop cleanly:", error));
  process.exit(0);
}
