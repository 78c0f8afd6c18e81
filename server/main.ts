import { readConfig } from "./config/config.ts";
import { runUntilSignal } from "./lib/run-until-signal.ts";
import { countTokens } from "./lib/tokens.ts";
import { verifyReceipt } from "./run/verify-receipt.ts";
import { compactStore, openForReading } from "./store/open.ts";
import { serve } from "./serve.ts";

const WARM_UP_MS = 100;

const [command, ...args] = process.argv.slice(2);

try {
  if (command === "receipt") process.exit(await showReceipt(args));
  if (command === "compact") process.exit(compactDatabase());
  const config = readConfig();
  const server = await serve(config);
  runUntilSignal({ ...server, graceMs: config.graceMs, blockedMs: config.blockedMs });
  console.log(`Stonechat is ready: ${server.url}`);
  setTimeout(() => countTokens("Loads the tokenizer before the first message."), WARM_UP_MS).unref();
} catch (error) {
  console.error(
    `Stonechat cannot ${command === "receipt" ? "read the receipt" : command === "compact" ? "compact the database" : "start"}: ${toSentence(error)}`,
  );
  process.exit(1);
}

/** `receipt ID --verify`: returns 0 if the request can be rebuilt byte for byte. */
async function showReceipt([id = ""]: readonly string[]): Promise<number> {
  const { dataDir, databaseUrl } = readConfig();
  const store = await openForReading({ directory: dataDir, databaseUrl });
  const { ok, lines } = await verifyReceipt(store.read, id);
  for (const line of lines) console.log(line);
  await store.close();
  return ok ? 0 : 1;
}

/** Rewrites the database file without deleted text and unused space. */
function compactDatabase(): number {
  const { dataDir, databaseUrl } = readConfig();
  compactStore({ directory: dataDir, databaseUrl });
  console.log("The database file has been rewritten without deleted text and unused space.");
  return 0;
}

function toSentence(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === "EADDRINUSE")
    return "The port is in use. Stop the other program, or set STONECHAT_PORT to another port.";
  if (code === "EACCES") return `${message ?? "No permission"}. Choose another STONECHAT_PORT or STONECHAT_DATA.`;
  return message ?? String(error);
}
