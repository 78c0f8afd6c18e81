import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ToolListChangedNotificationSchema,
  type JSONRPCMessage,
  ErrorCode,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { VERSION } from "../../../config/version.ts";
import { sleep } from "../../../lib/sleep.ts";
import { toDefinition, type Definition } from "../definition.ts";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { cleanText } from "../clean-text.ts";
import { ServerFailure } from "./server-failure.ts";

/** A conversation with one server, from its greeting to its end; it is never mended, only replaced. */
export type Link = {
  readonly list: () => ToolList;
  /** Asks for the list again, not more than once a second. */
  readonly refresh: () => void;
  readonly call: (call: Call) => Promise<unknown>;
  readonly isAlive: () => Promise<boolean>;
  /** A call that can no longer be answered: its stream was cut. */
  readonly giveUp: (requestId: number) => void;
  /** Resolves when nothing more can come. */
  readonly ended: Promise<void>;
  readonly isOver: () => boolean;
  /** Why this side broke it off; empty when it did not. */
  readonly fault: () => string;
  readonly close: () => Promise<void>;
};

export type ToolList = { readonly definitions: readonly Definition[]; readonly problems: readonly string[] };

export type Call = {
  readonly tool: string;
  readonly input: unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
};

const MAX_TOOLS = 500;
const MAX_PAGES = 50;
const SPACING_MS = 1000;
const PING_MS = 3000;

const Page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const Result = z.record(z.string(), z.unknown());

/** Output is checked by us: compiling a stranger's schema into code is what the package would do. */
const unchecked = {
  getValidator: () => () => {
    throw new Error("not used");
  },
};

export async function openLink(transport: Transport, signal: AbortSignal, timeoutMs: number): Promise<Link> {
  const client = new Client({ name: "stonechat", version: VERSION }, { jsonSchemaValidator: unchecked });
  const over = new AbortController();
  const { promise: ended, resolve: endedNow } = Promise.withResolvers<void>();
  const waiting = new Map<number, AbortController>();
  let lastAsked = -1;
  let fault = "";
  let list: ToolList = { definitions: [], problems: [] };

  client.onclose = () => {
    over.abort();
    endedNow();
  };
  client.onerror = () => {};
  const close = async (): Promise<void> => {
    over.abort();
    await client.close();
    await transport.close();
    endedNow();
  };

  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ("method" in message && "id" in message) lastAsked = Number(message.id);
    return send(message, options);
  };
  transport.onmessage = (message: JSONRPCMessage) => {
    // An answer to what was never asked: whoever gets it wrong once cannot be told from one who gets it wrong always.
    if ("method" in message || isAsked(message.id, lastAsked)) return;
    fault = "It answered what was not asked.";
    void close();
  };

  const readList = async (): Promise<void> => {
    const told: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && told.length <= MAX_TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await client.request({ method: "tools/list", params }, Page, {
        signal: over.signal,
        timeout: timeoutMs,
      });
      told.push(...answer.tools.slice(0, MAX_TOOLS + 1));
      if (answer.nextCursor === undefined || answer.nextCursor === cursor) break;
      cursor = answer.nextCursor;
    }
    list = toList(told);
  };

  let isDue = false;
  let isReading = false;
  const refresh = async (): Promise<void> => {
    isDue = true;
    if (isReading) return;
    isReading = true;
    while (isDue && !over.signal.aborted) {
      isDue = false;
      // A list that cannot be read leaves the last one standing; its calls will tell.
      await readList().catch(() => {});
      await sleep(SPACING_MS, over.signal);
    }
    isReading = false;
  };

  const call = async ({ tool, input, timeoutMs: limitMs, signal: stop, onProgress }: Call): Promise<unknown> => {
    stop.throwIfAborted();
    const controller = new AbortController();
    // The package listens to a signal beyond the call's end, so it gets one of the call's own.
    const cancel = (): void => controller.abort(new Error("stopped"));
    stop.addEventListener("abort", cancel, { once: true });
    try {
      const params = { name: tool, arguments: input as Record<string, unknown> };
      const options = { signal: controller.signal, timeout: limitMs, maxTotalTimeout: limitMs, onprogress: onProgress };
      const answered = client.request({ method: "tools/call", params }, Result, options);
      const id = lastAsked;
      waiting.set(id, controller);
      return await answered.finally(() => waiting.delete(id));
    } catch (error) {
      throw controller.signal.aborted ? controller.signal.reason : toFailure(error);
    } finally {
      stop.removeEventListener("abort", cancel);
    }
  };

  try {
    await client.connect(transport, { signal, timeout: timeoutMs });
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void refresh());
    if (client.getServerCapabilities()?.tools) await readList();
  } catch (error) {
    await close().catch(() => {});
    throw toFailure(error);
  }
  return {
    list: () => list,
    refresh: () => void refresh(),
    call,
    isAlive: () =>
      client.ping({ timeout: PING_MS }).then(
        () => true,
        () => false,
      ),
    giveUp: (id) => waiting.get(id)?.abort(new Error("The connection was cut before the answer came.")),
    ended,
    isOver: () => over.signal.aborted,
    fault: () => fault,
    close,
  };
}

const isAsked = (id: unknown, lastAsked: number): boolean =>
  typeof id === "number" && Number.isInteger(id) && id >= 0 && id <= lastAsked;

function toList(told: readonly unknown[]): ToolList {
  const read = told.slice(0, MAX_TOOLS).map(toDefinition);
  const byName = new Map<string, Definition>();
  const problems = read.filter((one) => typeof one === "string");
  for (const one of read) {
    if (typeof one === "string") continue;
    if (byName.has(one.name)) problems.push(`"${one.name}" is listed twice; the first one counts.`);
    else byName.set(one.name, one);
  }
  if (told.length > MAX_TOOLS) problems.push(`It lists more than ${MAX_TOOLS} tools; the rest is left out.`);
  return { definitions: [...byName.values()], problems: problems.slice(0, 20) };
}

const MAX_LENGTH = 2000;

/** From the package's errors to ours: its classes go no further. */
function toFailure(error: unknown): ServerFailure {
  const status = error instanceof StreamableHTTPError ? error.code : undefined;
  if (error instanceof UnauthorizedError || status === 401)
    return new ServerFailure("signed-out", "It asks you to sign in.", { cause: error });
  return new ServerFailure(status === 404 ? "session-lost" : "failed", toText(error, status), { cause: error });
}

function toText(error: unknown, status: number | undefined): string {
  if (status !== undefined && status > 0) return `It answered with status ${status}.`;
  if (error instanceof z.core.$ZodError) return "Its answer is not what the protocol asks for.";
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) return "It did not answer in time.";
  const text = error instanceof Error ? error.message : String(error);
  return cleanText(text.replace(/^MCP error -?\d+: (Error: )?/, "")).slice(0, MAX_LENGTH);
}
