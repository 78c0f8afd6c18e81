import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { JSONRPCMessageSchema, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../../../lib/clock.ts";
import { createFlood } from "./flood.ts";
import type { StdioSettings } from "../mcp-file.ts";
import { startChild, type Child } from "./child.ts";
import { createLines } from "./lines.ts";

type Options = {
  readonly settings: StdioSettings;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
};

export type StdioTransport = Transport & {
  /** Why the connection cannot go on; empty while it can. */
  readonly why: () => string;
  /** The last that the program said there. */
  readonly errorOutput: () => string;
};

const MAX_MESSAGE_LENGTH = 8 * 1024 * 1024;
const MAX_UNSENT = 16 * 1024 * 1024;
/** Programs greet and log where they should not; that much is forgiven. */
const MAX_STRAY_LINES = 200;
const KEPT_CHARACTERS = 1000;
const REST_AFTER_BYTES = 256 * 1024;
const REST_MS = 50;

/**
 * Messages as lines over a program's pipes. Anything that cannot be followed (a message too long, a flood, broken JSON) ends
 * the program: a connection whose state is unknown is worth less than a new one.
 */
export function createStdioTransport({ settings, environment, clock }: Options): StdioTransport {
  let child: Child | undefined;
  let failure = "";
  let errorOutput = "";
  let strayLines = 0;
  let isClosing = false;
  const flood = createFlood(clock);

  const fail = (why: string): void => {
    if (failure !== "") return;
    failure = why;
    transport.onerror?.(new Error(why));
    void child?.end();
  };

  /** One after the other: the package handles what is told in passing a moment later than an answer, and would lose it. */
  let delivered = Promise.resolve();
  const deliver = (message: JSONRPCMessage): void => {
    delivered = delivered.then(() => transport.onmessage?.(message));
  };

  const takeLine = (line: string): void => {
    if (failure !== "" || line.trim() === "") return;
    if (flood.isOver(line.length)) return fail("It sends more than can be read.");
    const message = parseMessage(line);
    if (message !== undefined) return deliver(message);
    strayLines += 1;
    if (isBroken(line)) return fail("It sent a message that is not valid JSON.");
    if (strayLines > MAX_STRAY_LINES) fail("It writes other things than messages to its output.");
  };

  const listen = ({ process: { stdout, stderr, stdin } }: Child): void => {
    const lines = createLines(MAX_MESSAGE_LENGTH, takeLine);
    stdout?.on("data", (chunk: Buffer) => {
      if (failure === "" && !lines.push(chunk)) fail(`It sent a message of more than ${MAX_MESSAGE_LENGTH} bytes.`);
    });
    let read = 0;
    stderr?.on("data", (chunk: Buffer) => {
      errorOutput = (errorOutput + chunk.toString("utf8")).slice(-KEPT_CHARACTERS);
      read += chunk.length;
      if (read < REST_AFTER_BYTES) return;
      read = 0;
      // Whoever floods it waits for us, not we for them.
      stderr.pause();
      setTimeout(() => stderr.resume(), REST_MS).unref();
    });
    for (const pipe of [stdout, stderr, stdin]) pipe?.on("error", () => {});
  };

  const transport: StdioTransport = {
    start: async () => {
      child = startChild(settings, environment);
      listen(child);
      void child.ended.then(({ code, signal }) => {
        if (!isClosing) failure ||= code === null ? `It was ended by ${signal}.` : `It ended with code ${code}.`;
        void delivered.then(() => transport.onclose?.());
      });
      await child.started.catch((error: NodeJS.ErrnoException) => {
        failure = `The program could not be started (${error.code ?? error.message}).`;
        throw new Error(failure, { cause: error });
      });
    },
    send: async (message) => {
      const stdin = child?.process.stdin;
      if (!stdin?.writable) throw new Error("The program no longer takes messages.");
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
    return JSONRPCMessageSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** A message was meant; an ordinary line of a log was not. */
function isBroken(line: string): boolean {
  if (!/^\s*\{\s*"(jsonrpc|id|result|error|method|params)"/.test(line)) return false;
  try {
    JSON.parse(line);
    return false;
  } catch {
    return true;
  }
}
