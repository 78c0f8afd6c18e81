import { readConfig } from "./config/config.ts";
import { countTokens } from "./lib/tokens.ts";
import { verifyReceipt } from "./run/receipts/verify-receipt.ts";
import { openForReading } from "./store/open.ts";
import { serve, type Server } from "./serve.ts";

/** Node can hang in its own exit; this much later the process is gone whatever happens. */
const EXIT_GRACE_MS = 8_000;

const WARM_UP_MS = 100;

const [command, ...args] = process.argv.slice(2);

try {
  if (command === "receipt") process.exit(await tellReceipt(args));
  const server = await serve(readConfig());
  let stopping: Promise<void> | undefined;
  // The failed operation has already been rolled back by its transaction; every other one is intact.
  process.on("unhandledRejection", (reason) => server.reportBug(reason, "unhandled promise rejection"));
  // State in memory may be inconsistent: shut down in order, and let the supervisor start a new process.
  process.on("uncaughtException", (error) => {
    server.reportBug(error, "uncaught exception: shutting down");
    stopping ??= stop(server, 1);
  });
  console.log(`Stonechat is ready: ${server.url}`);
  // A terminal sends the signal to the launcher and to us, so it may come twice.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void (stopping ??= stop(server)));
  setTimeout(() => countTokens("The tokenizer is loaded before the first message comes."), WARM_UP_MS).unref();
} catch (error) {
  console.error(`Stonechat cannot ${command === "receipt" ? "read it" : "start"}: ${toSentence(error)}`);
  process.exit(1);
}

/** `receipt ID --verify`: 0 when its request can be built again, byte for byte. */
async function tellReceipt([id = ""]: readonly string[]): Promise<number> {
  const { dataDir, databaseUrl } = readConfig();
  const store = await openForReading({ directory: dataDir, databaseUrl });
  const { ok, lines } = await verifyReceipt(store.read, id);
  for (const line of lines) console.log(line);
  await store.close();
  return ok ? 0 : 1;
}

function toSentence(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === "EADDRINUSE") return "the port is taken. Stop what uses it, or set STONECHAT_PORT to another.";
  if (code === "EACCES") return `${message ?? "no permission"}. Choose another STONECHAT_PORT or STONECHAT_DATA.`;
  return message ?? String(error);
}

async function stop(server: Server, exitCode = 0): Promise<void> {
  setTimeout(() => process.kill(process.pid, "SIGKILL"), EXIT_GRACE_MS).unref();
  await server.close().catch((error: unknown) => console.error("Stonechat did not stop cleanly:", error));
  process.exit(exitCode);
}
