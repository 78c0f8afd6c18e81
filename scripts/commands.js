import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { runInForeground } from "./program.js";
import { home, isPackaged, readServerFlags, root, say, SetupProblem } from "./project.js";

/** @typedef {(runtime: import("./program.js").Runtime, args: readonly string[]) => Promise<number>} Command */

/** Paths of settings are relative to the clone; the package's are relative to the folder it is called in. */
const cwd = isPackaged ? process.cwd() : root;
/** @param {string} name */
const entryOf = (name) => (isPackaged ? join(root, `dist/${name}/main.js`) : join(root, `${name}/main.ts`));

const envPath = join(home, ".env");
/** Adds settings that are not in the environment. */
const envFlags = existsSync(envPath) ? [`--env-file=${envPath}`] : [];

/** @param {string} name @returns {Command} */
const serverCommand = (name) => (runtime, args) =>
  runInForeground(runtime, [...envFlags, entryOf("server"), name, ...args], { cwd });

/** With a bounded heap, because these commands make much garbage. @param {string} name @returns {Command} */
const copyCommand = (name) => (runtime, args) => {
  const flags = [...readServerFlags(), "--max-old-space-size=512", ...envFlags];
  return runInForeground(runtime, [...flags, entryOf("server"), name, ...toPaths(args)], { cwd });
};

/**
 * Paths are relative to the folder that the command is called in, also through npm.
 * @param {readonly string[]} args
 */
const toPaths = (args) =>
  args.map((arg) => (/^--|^\d+$|:\/\//.test(arg) ? arg : resolve(process.env["INIT_CWD"] ?? process.cwd(), arg)));

/** A client of a running server. @param {string} name @returns {Command} */
const client = (name) => (runtime, args) =>
  runInForeground(runtime, [...envFlags, entryOf("cli"), name, ...args], {
    cwd: process.cwd(),
    countsInterrupts: true,
  });

/** Commands for users, in a clone and in the npm package. @type {Record<string, Command>} */
export const userCommands = {
  start: (runtime, args) =>
    runInForeground(runtime, [...readServerFlags(), ...envFlags, entryOf("server"), ...args], { cwd }),
  receipt: serverCommand("receipt"),
  "reset-link": serverCommand("reset-link"),
  compact: serverCommand("compact"),
  config: serverCommand("config"),
  doctor: serverCommand("doctor"),
  storage: serverCommand("storage"),
  backup: copyCommand("backup"),
  restore: copyCommand("restore"),
  move: copyCommand("move"),
  chat: client("chat"),
  ask: client("ask"),
  threads: client("threads"),
  import: client("import"),
};

/** What `stonechat COMMAND --help` prints. Clients of a server print their own. @type {Record<string, string>} */
const usages = {
  start: "start    start the server; also without a command",
  receipt: "receipt ID [--verify]    rebuild the request of a receipt from stored data, and compare its bytes",
  "reset-link": "reset-link EMAIL [--remove-second-factors]    print a link that sets a new password",
  compact: "compact    rewrite the SQLite file without deleted text and unused space; stop the server first",
  config: "config    print the settings in force and where they come from, without secrets",
  doctor: "doctor    check the setup and say what to do; changes nothing",
  storage: "storage    print what is stored, by kind, account and thread, and what can be freed",
  backup:
    "backup [FOLDER or FILE.backup] [--without-key] [--keep N]    make a verified backup, while the server runs or not",
  restore: "restore [BACKUP] [--to URL or FOLDER]    restore a backup into an empty database or data folder",
  move: "move --to URL or FOLDER    copy everything to another database and compare it; stop the server first",
  chat: "chat [THREAD]    talk in the terminal",
  ask: "ask QUESTION...    print one answer",
  threads: "threads    list, print and search threads",
  import: "import FILE    import threads from another Stonechat or another program",
};
const clients = new Set(["chat", "ask", "threads", "import"]);

/**
 * Runs the command of the command line; a problem of the setup is one line. Without a command the server starts.
 * @param {Record<string, Command>} commands
 * @param {(name: string) => Promise<import("./program.js").Runtime>} prepare
 */
export async function runCommand(commands, prepare) {
  const [name = "start", ...args] = process.argv.slice(2);
  const names = Object.keys(commands).join(", ");
  if (name === "--version") return say(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
  const isHelp = (/** @type {string} */ arg) => arg === "--help" || arg === "-h";
  if (isHelp(name) || name === "help") return print(commands);
  const usage = Object.hasOwn(commands, name) && !clients.has(name) ? usages[name] : undefined;
  if (usage !== undefined && args.some(isHelp)) return void process.stdout.write(`stonechat ${usage}\n`);
  try {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw new SetupProblem(`unknown command "${name}". Use one of ${names}.`);
    process.exitCode = await command(await prepare(name), args);
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    process.stderr.write(`stonechat: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/** @param {Record<string, Command>} commands */
function print(commands) {
  const names = Object.keys(commands).filter((name) => usages[name] !== undefined);
  const lines = names.map((name) => {
    const [, about] = /** @type {string} */ (usages[name]).split(/ {4}/);
    return `  ${name.padEnd(12)}${about ?? usages[name]}`;
  });
  process.stdout.write(
    `${["Usage: stonechat [COMMAND]", "", ...lines, "", "Without a command the server starts. stonechat COMMAND --help shows its arguments. See docs/operate.md."].join("\n")}\n`,
  );
}
