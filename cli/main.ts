import { fstatSync } from "node:fs";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { chat } from "./chat.ts";
import { connect, toErrorText, UsageError } from "./connect.ts";
import { createJsonOutput, createTextOutput } from "./output.ts";
import { createInterrupts, openTerminal } from "./terminal.ts";
import { ask } from "./ask.ts";
import { importFile } from "./import.ts";
import { startLocalServer } from "./local-server.ts";
import { threads } from "./threads.ts";

const usage = `Usage:
  stonechat chat [THREAD] [--continue]      talk in the terminal; Ctrl+C stops the answer, then leaves
  stonechat ask QUESTION... [--continue]    print one answer; text from a pipe is added to the question
  stonechat threads [list]                  list the newest threads
  stonechat threads show THREAD             print a thread
  stonechat threads search WORDS...         search all threads
  stonechat import FILE                     import threads: an archive of Stonechat, or an export of another program

Options:
  --continue, -c     continue the thread that changed last
  --thread ID        continue this thread (ask)
  --model NAME       the model of the answer
  --profile NAME     the profile of a new thread, such as research
  --file PATH, -f    attach a file; can be repeated
  --temporary        a new thread that is not listed and deletes itself
  --json             print one JSON object per line
  --limit N          how many threads or messages
  --url URL          the server; default: STONECHAT_URL or http://127.0.0.1:3737
  --key KEY          an API key; better: STONECHAT_KEY
  --data FOLDER      the data in this folder, without a running server

Exit codes of ask: 0 answered, 1 failed, 2 wrong usage, 3 ended at a limit, 4 waits for a decision, 130 stopped.
`;

const commands = ["chat", "ask", "threads", "import"];

const options = {
  continue: { type: "boolean", short: "c" },
  thread: { type: "string" },
  model: { type: "string" },
  profile: { type: "string" },
  file: { type: "string", short: "f", multiple: true },
  temporary: { type: "boolean" },
  json: { type: "boolean" },
  limit: { type: "string" },
  url: { type: "string" },
  key: { type: "string" },
  data: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

// The reader of a pipe has left, as in `stonechat threads | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
process.exitCode = await run(process.argv.slice(2));

async function run([command = "", ...args]: readonly string[]): Promise<number> {
  let url = "";
  let close = async (): Promise<void> => {};
  try {
    const { values, positionals } = parse(args);
    if (values.help || command === "") {
      process.stdout.write(usage);
      return 0;
    }
    if (!commands.includes(command)) throw new UsageError(`"${command}" is not a command.`);
    const { data } = values;
    if (data !== undefined && values.url !== undefined) throw new UsageError("Give either --data or --url.");
    const local = data === undefined ? undefined : await startLocalServer(data);
    if (local) ({ close } = local);
    const target = connect({ ...values, local: local?.url }, process.env);
    url = target.url;
    const output = values.json ? createJsonOutput(process.stdout) : createTextOutput(process.stdout, process.stderr);
    const interrupts = createInterrupts();
    const shared = { ...values, client: target.client, words: positionals, output, interrupts };
    if (command === "import") return await importFile(shared, process.stdout);
    if (command === "threads") return await threads({ ...shared, limit: toLimit(values.limit) }, process.stdout);
    if (command === "ask") {
      const terminal = process.stdin.isTTY ? openTerminal(process.stdin, process.stderr, interrupts) : null;
      return await ask({ ...shared, piped: await readPipe(), terminal }).finally(() => terminal?.close());
    }
    const toText = (error: unknown) => toErrorText(error, url);
    const terminal = openTerminal(process.stdin, values.json ? process.stderr : process.stdout, interrupts);
    return await chat({ ...shared, terminal, toText }).finally(() => terminal.close());
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.stderr.write(`stonechat: ${toErrorText(error, url)}\n${isUsage ? `\n${usage}` : ""}`);
    return isUsage ? 2 : 1;
  } finally {
    await close();
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split(". To specify")[0]);
  }
}

function toLimit(given = "20"): number {
  if (/^\d{1,3}$/.test(given) && Number(given) >= 1 && Number(given) <= 200) return Number(given);
  throw new UsageError("--limit must be a number from 1 to 200.");
}

/** Text from a pipe or a file. A terminal, or a standard input that is closed, gives none. */
async function readPipe(): Promise<string> {
  if (process.stdin.isTTY) return "";
  const stat = fstatSync(0);
  return stat.isFIFO() || stat.isFile() || stat.isSocket() ? text(process.stdin) : "";
}
