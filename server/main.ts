import { createResetUrl } from "./accounts/mode.ts";
import { printStorage } from "./user-data/storage-command.ts";
import { runBackup, runMove, runRestore } from "./backup/commands.ts";
import { readConfig } from "./config/config.ts";
import { describeConfig } from "./config/describe-config.ts";
import { examine } from "./doctor/doctor.ts";
import { toLine } from "./doctor/finding.ts";
import { runUntilSignal } from "./lib/run-until-signal.ts";
import { countTokens } from "./lib/tokens.ts";
import { verifyReceipt } from "./run/verify-receipt.ts";
import { compactStore, openForReading } from "./store/open.ts";
import { serve } from "./serve.ts";

const WARM_UP_MS = 100;
const REMOVE_FACTORS = "--remove-second-factors";

/** For error messages, by command. */
const aims = new Map<string | undefined, string>([
  ["receipt", "read the receipt"],
  ["compact", "compact the database"],
  ["reset-link", "create a reset link"],
  ["config", "read the settings"],
  ["doctor", "check the setup"],
  ["storage", "read the database"],
  ["backup", "make the backup"],
  ["restore", "restore the backup"],
  ["move", "move the data"],
]);

const [command, ...args] = process.argv.slice(2);

try {
  if (command === "receipt") process.exit(await showReceipt(args));
  if (command === "compact") process.exit(compactDatabase());
  if (command === "reset-link") process.exit(await printResetLink(args));
  if (command === "config") process.exit(printConfig());
  if (command === "doctor") process.exit(await printFindings());
  if (command === "storage") process.exit(await printStorage(readConfig(), console.log));
  if (command === "backup") process.exit(await runBackup(readConfig(), args, console.log));
  if (command === "restore") process.exit(await runRestore(readConfig(), args, console.log));
  if (command === "move") process.exit(await runMove(readConfig(), args, console.log));
  const config = readConfig();
  const server = await serve(config);
  runUntilSignal({ ...server, graceMs: config.graceMs, blockedMs: config.blockedMs });
  console.log(`Stonechat is ready: ${server.url}`);
  if (server.setupUrl !== null) console.log(`Create the first admin: ${server.setupUrl}`);
  setTimeout(() => countTokens("Loads the tokenizer before the first message."), WARM_UP_MS).unref();
} catch (error) {
  console.error(`Stonechat cannot ${aims.get(command) ?? "start"}: ${toSentence(error)}`);
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

/** `reset-link EMAIL [--remove-second-factors]`: prints a link that sets a new password, for an admin who cannot sign in. */
async function printResetLink(given: readonly string[]): Promise<number> {
  const [email = ""] = given.filter((arg) => arg !== REMOVE_FACTORS);
  const { url, needsCode } = await createResetUrl(readConfig(), email, {
    removesFactors: given.includes(REMOVE_FACTORS),
  });
  console.log(url);
  if (needsCode) {
    console.error(
      "After the new password, this account needs a code of its authenticator app or a recovery code. " +
        `If both are lost, add ${REMOVE_FACTORS}: it removes them and all passkeys of the account.`,
    );
  }
  return 0;
}

/** `config`: prints every setting in force and where it comes from, without secrets. */
function printConfig(): number {
  const all = describeConfig();
  const [names, values] = [all.map(({ name }) => name.length), all.map(({ value }) => Math.min(value.length, 50))];
  const [nameWidth, valueWidth] = [Math.max(...names), Math.max(...values)];
  for (const { name, value, source } of all)
    console.log(`${name.padEnd(nameWidth)}  ${value.padEnd(valueWidth)}  ${source}`.trimEnd());
  readConfig();
  return 0;
}

/** `doctor`: returns 0 if the setup has no problem. */
async function printFindings(): Promise<number> {
  let problems = 0;
  for await (const finding of examine(readConfig())) {
    console.log(toLine(finding));
    if (finding.level === "problem") problems += 1;
  }
  return problems === 0 ? 0 : 1;
}

function toSentence(error: unknown): string {
  const { code, message, syscall } = error as { code?: string; message?: string; syscall?: string };
  if (code === "EADDRINUSE")
    return "The port is in use. Stop the other program, or set STONECHAT_PORT to another port.";
  if (code === "EACCES" && syscall === "listen") return `${message}. Choose another STONECHAT_PORT.`;
  if (code === "EACCES")
    return `${message ?? "No permission"}. Change the permissions of this path, or choose another.`;
  return message ?? String(error);
}
