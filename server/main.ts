import { readConfig } from "./config/config.ts";
import { countTokens } from "./lib/tokens.ts";
import { serve, type Server } from "./serve.ts";

/** Node can hang in its own exit; this much later the process is gone whatever happens. */
const EXIT_GRACE_MS = 8_000;

const WARM_UP_MS = 100;

try {
  const server = await serve(readConfig());
  console.log(`Stonechat is ready: ${server.url}`);
  let stopping: Promise<void> | undefined;
  // A terminal sends the signal to the launcher and to us, so it may come twice.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void (stopping ??= stop(server)));
  setTimeout(() => countTokens("The tokenizer is loaded before the first message comes."), WARM_UP_MS).unref();
} catch (error) {
  console.error(`Stonechat cannot start: ${toSentence(error)}`);
  process.exit(1);
}

function toSentence(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === "EADDRINUSE") return "the port is taken. Stop what uses it, or set STONECHAT_PORT to another.";
  if (code === "EACCES") return `${message ?? "no permission"}. Choose another STONECHAT_PORT or STONECHAT_DATA.`;
  return message ?? String(error);
}

async function stop(server: Server): Promise<void> {
  setTimeout(() => process.kill(process.pid, "SIGKILL"), EXIT_GRACE_MS).unref();
  await server.close().catch((error: unknown) => console.error("Stonechat did not stop cleanly:", error));
  process.exit(0);
}
