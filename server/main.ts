import { runUntilSignal } from "./lib/run-until-signal.ts";
import { readConfig } from "./config/config.ts";

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

// Commands load only their own modules, because the server's take half a second.
try {
  if (command === "receipt") process.exit(await showReceipt(args));
  if (command === "compact") process.exit(await compactDatabase());
  if (command === "reset-link") process.exit(await printResetLink(args));
  if (command === "config") process.exit(await printConfig());
  if (command === "doctor") process.exit(await printFindings());
  if (command === "storage") process.exit(await showStorage());
  if (command === "backup" || command === "restore" || command === "move") process.exit(await copyData(command));
  const config = readConfig();
  const { serve } = await import("./serve.ts");
  const server = await serve(config);
  runUntilSignal({ ...server, graceMs: config.graceMs, blockedMs: config.blockedMs });
  console.log(`Stonechat is ready: ${server.url}`);
  if (server.setupUrl !== null) console.log(`Create the first admin: ${server.setupUrl}`);
  const { countTokens } = await import("./lib/tokens.ts");
  setTimeout(() => countTokens("Loads the tokenizer before the first message."), WARM_UP_MS).unref();
} catch (error) {
  console.error(`Stonechat cannot ${aims.get(command) ?? "start"}: ${toSentence(error)}`);
  process.exit(1);
}

/** `receipt ID --verify`: returns 0 if the request can be rebuilt byte for byte. */
async function showReceipt([id = ""]: readonly string[]): Promise<number> {
  const { dataDir, databaseUrl } = readConfig();
  const { openForReading } = await import("./store/open.ts");
  const { verifyReceipt } = await import("./run/verify-receipt.ts");
  const store = await openForReading({ directory: dataDir, databaseUrl });
  const { ok, lines } = await verifyReceipt(store.read, id);
  for (const line of lines) console.log(line);
  await store.close();
  return ok ? 0 : 1;
}

/** Rewrites the database file without deleted text and unused space. */
async function compactDatabase(): Promise<number> {
  const { dataDir, databaseUrl } = readConfig();
  const { compactStore } = await import("./store/open.ts");
  compactStore({ directory: dataDir, databaseUrl });
  console.log("The database file has been rewritten without deleted text and unused space.");
  return 0;
}

/** `reset-link EMAIL [--remove-second-factors]`: prints a link that sets a new password, for an admin who cannot sign in. */
async function printResetLink(given: readonly string[]): Promise<number> {
  const [email = ""] = given.filter((arg) => arg !== REMOVE_FACTORS);
  const { createResetUrl } = await import("./accounts/mode.ts");
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
async function printConfig(): Promise<number> {
  const { describeConfig } = await import("./config/describe-config.ts");
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
  const { examine } = await import("./doctor/doctor.ts");
  const { toLine } = await import("./doctor/finding.ts");
  let problems = 0;
  for await (const finding of examine(readConfig())) {
    console.log(toLine(finding));
    if (finding.level === "problem") problems += 1;
  }
  return problems === 0 ? 0 : 1;
}

async function showStorage(): Promise<number> {
  const { printStorage } = await import("./user-data/storage-command.ts");
  return printStorage(readConfig(), console.log);
}

async function copyData(name: "backup" | "restore" | "move"): Promise<number> {
  const { runBackup, runMove, runRestore } = await import("./backup/commands.ts");
  const run = { backup: runBackup, restore: runRestore, move: runMove }[name];
  return run(readConfig(), args, console.log);
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
