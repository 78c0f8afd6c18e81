import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../../lib/clock.ts";
import { createFloodGuard } from "./flood-guard.ts";
import type { StdioSettings } from "../mcp-file.ts";
import { startChild, type Child } from "./child.ts";
import { createLines } from "./lines.ts";

type Options = {
  readonly settings: StdioSettings;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
};

type StdioTransport = Transport & {
  /** Why the connection failed; empty while it works. */
  readonly why: () => string;
  /** The end of the program's stderr. */
  readonly errorOutput: () => string;
};

const MAX_MESSAGE_LENGTH = 8 * 1024 * 1024;
const MAX_UNSENT = 16 * 1024 * 1024;
/** Tolerates this many lines on stdout that are not messages: some programs print a banner or logs there. */
const MAX_STRAY_LINES = 200;
const ERROR_OUTPUT_CHARACTERS = 1000;
const PAUSE_AFTER_BYTES = 256 * 1024;
const PAUSE_MS = 50;

/**
 * Exchanges messages as lines over a program's pipes. A message that is too long, a flood or broken JSON ends the program:
 * a new connection is safer than one in an unknown state.
 */
export function createStdioTransport({ settings, environment, clock }: Options): StdioTransport {
  let child: Child | undefined;
  let failure = "";
  let errorOutput = "";
  let strayLines = 0;
  let isClosing = false;
  const flood = createFloodGuard(clock);

  const fail = (why: string): void => {
    if (failure !== "") return;
    failure = why;
    transport.onerror?.(new Error(why));
    void child?.end();
  };

  /** Delivers in sequence: the SDK handles notifications later than responses and would lose them. */
  let delivered = Promise.resolve();
  const deliver = (message: JSONRPCMessage): void => {
    delivered = delivered.then(() => transport.onmessage?.(message));
  };

  const handleLine = (line: string): void => {
    if (failure !== "" || line.trim() === "") return;
    if (flood.isExceeded(line.length)) return fail("It sends too much data.");
    const message = parseMessage(line);
    if (message !== undefined) return deliver(message);
    strayLines += 1;
    if (isBroken(line)) return fail("It sent a message that is not valid JSON.");
    if (strayLines > MAX_STRAY_LINES) fail("It writes text that is not a message to its standard output.");
  };

  const listen = ({ process: { stdout, stderr, stdin } }: Child): void => {
    const lines = createLines(MAX_MESSAGE_LENGTH, handleLine);
    stdout?.on("data", (chunk: Buffer) => {
      if (failure === "" && !lines.push(chunk))
        fail(`The server sent a message of more than ${MAX_MESSAGE_LENGTH} bytes.`);
    });
    let read = 0;
    stderr?.on("data", (chunk: Buffer) => {
      errorOutput = (errorOutput + chunk.toString("utf8")).slice(-ERROR_OUTPUT_CHARACTERS);
      read += chunk.length;
      if (read < PAUSE_AFTER_BYTES) return;
      read = 0;
      // Slows down a program that floods its stderr.
      stderr.pause();
      setTimeout(() => stderr.resume(), PAUSE_MS).unref();
    });
    for (const pipe of [stdout, stderr, stdin]) pipe?.on("error", () => {});
  };

  const transport: StdioTransport & { readonly stderr: null; readonly pid: null } = {
    // The SDK recognizes pipes by these names. A program may ignore a request that it does not know.
    stderr: null,
    pid: null,
    start: async () => {
      child = startChild(settings, environment);
      listen(child);
      void child.ended.then(({ code, signal }) => {
        if (!isClosing) failure ||= code === null ? `It was ended by ${signal}.` : `It exited with code ${code}.`;
        void delivered.then(() => transport.onclose?.());
      });
      await child.started.catch((error: NodeJS.ErrnoException) => {
        failure = `The program could not be started (${error.code ?? error.message}).`;
        throw new Error(failure, { cause: error });
      });
    },
    send: async (message) => {
      const stdin = child?.process.stdin;
      if (!stdin?.writable) throw new Error("The program no longer accepts messages.");
      if (stdin.writableLength > MAX_UNSENT) throw new Error("The program does not read its messages.");
      stdin.write(`${JSON.stringify(message)}\n`);
    },
    close: async () => {
      isClosing = true;
      await child?.end();
    },
    why: () => failure,
    errorOutput: () => errorOutput.trim(),
  };
  return transport;
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Whether the line is an incomplete message, as opposed to ordinary log output. */
function isBroken(line: string): boolean {
  if (!/^\s*\{\s*"(jsonrpc|id|result|error|method|params)"/.test(line)) return false;
  try {
    JSON.parse(line);
    return false;
  } catch {
    return true;
  }
}
