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

/** One MCP session with a server. It is never repaired, only replaced. */
export type Link = {
  readonly list: () => ToolList;
  /** Requests the list again, at most once per second. */
  readonly refresh: () => void;
  readonly call: (call: McpToolCall) => Promise<unknown>;
  readonly isAlive: () => Promise<boolean>;
  /** Fails a call whose response stream was cut. */
  readonly abandonCall: (requestId: number) => void;
  /** Resolves when the session is over. */
  readonly ended: Promise<void>;
  readonly hasEnded: () => boolean;
  /** Why this side closed it; empty if it did not. */
  readonly fault: () => string;
  readonly close: () => Promise<void>;
};

export type ToolList = { readonly definitions: readonly Definition[]; readonly problems: readonly string[] };

export type McpToolCall = {
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
const REFRESH_INTERVAL_MS = 1000;
const PING_MS = 3000;

const Page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const Result = z.record(z.string(), z.unknown());

/** We check outputs ourselves: the SDK would compile the server's untrusted schema into code. */
const unchecked = {
  getValidator: () => () => {
    throw new Error("not used");
  },
};

export async function openLink(transport: Transport, signal: AbortSignal, timeoutMs: number): Promise<Link> {
  const client = new Client({ name: "stonechat", version: VERSION }, { jsonSchemaValidator: unchecked });
  const session = new AbortController();
  const { promise: ended, resolve: endedNow } = Promise.withResolvers<void>();
  const waiting = new Map<number, AbortController>();
  let lastRequestId = -1;
  let fault = "";
  const toolList = createToolList(client, session.signal, timeoutMs);

  client.onclose = () => {
    session.abort();
    endedNow();
  };
  client.onerror = () => {};
  const close = async (): Promise<void> => {
    session.abort();
    await client.close();
    await transport.close();
    endedNow();
  };

  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ("method" in message && "id" in message) lastRequestId = Number(message.id);
    return send(message, options);
  };
  transport.onmessage = (message: JSONRPCMessage) => {
    // A response to a request that was never sent: the server's other responses cannot be trusted either.
    if ("method" in message || isKnownRequestId(message.id, lastRequestId)) return;
    fault = "It responded to a request that was not sent.";
    void close();
  };

  const call = async ({ tool, input, timeoutMs: limitMs, signal: stop, onProgress }: McpToolCall): Promise<unknown> => {
    stop.throwIfAborted();
    const controller = new AbortController();
    // The SDK never removes its listener from the signal, so each call gets a separate one.
    const cancel = (): void => controller.abort(new Error("stopped"));
    stop.addEventListener("abort", cancel, { once: true });
    try {
      const params = { name: tool, arguments: input as Record<string, unknown> };
      const options = { signal: controller.signal, timeout: limitMs, maxTotalTimeout: limitMs, onprogress: onProgress };
      const answered = client.request({ method: "tools/call", params }, Result, options);
      const id = lastRequestId;
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
    client.setNotificationHandler(ToolListChangedNotificationSchema, toolList.refresh);
    if (client.getServerCapabilities()?.tools) await toolList.read();
  } catch (error) {
    await close().catch(() => {});
    throw toFailure(error);
  }
  return {
    list: toolList.get,
    refresh: toolList.refresh,
    call,
    isAlive: () =>
      client.ping({ timeout: PING_MS }).then(
        () => true,
        () => false,
      ),
    abandonCall: (id) => waiting.get(id)?.abort(new Error("The connection was cut before the response arrived.")),
    ended,
    hasEnded: () => session.signal.aborted,
    fault: () => fault,
    close,
  };
}

/** The server's tool list. Refreshes are coalesced, at most one per second. */
function createToolList(client: Client, signal: AbortSignal, timeoutMs: number) {
  let list: ToolList = { definitions: [], problems: [] };
  let isDue = false;
  let isReading = false;

  const read = async (): Promise<void> => {
    const entries: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && entries.length <= MAX_TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await client.request({ method: "tools/list", params }, Page, { signal, timeout: timeoutMs });
      entries.push(...result.tools.slice(0, MAX_TOOLS + 1));
      if (result.nextCursor === undefined || result.nextCursor === cursor) break;
      cursor = result.nextCursor;
    }
    list = toList(entries);
  };

  const refresh = async (): Promise<void> => {
    isDue = true;
    if (isReading) return;
    isReading = true;
    while (isDue && !signal.aborted) {
      isDue = false;
      // If the list cannot be read, the last one stays in use. Calls report the failure.
      await read().catch(() => {});
      await sleep(REFRESH_INTERVAL_MS, signal);
    }
    isReading = false;
  };

  return { get: () => list, read, refresh: (): void => void refresh() };
}

const isKnownRequestId = (id: unknown, lastRequestId: number): boolean =>
  typeof id === "number" && Number.isInteger(id) && id >= 0 && id <= lastRequestId;

function toList(entries: readonly unknown[]): ToolList {
  const read = entries.slice(0, MAX_TOOLS).map(toDefinition);
  const byName = new Map<string, Definition>();
  const problems = read.filter((one) => typeof one === "string");
  for (const one of read) {
    if (typeof one === "string") continue;
    if (byName.has(one.name)) problems.push(`"${one.name}" is listed twice. The first definition is used.`);
    else byName.set(one.name, one);
  }
  if (entries.length > MAX_TOOLS) problems.push(`It lists more than ${MAX_TOOLS} tools. The rest is ignored.`);
  return { definitions: [...byName.values()], problems: problems.slice(0, 20) };
}

const MAX_LENGTH = 2000;

/** Converts SDK errors to `ServerFailure`. */
function toFailure(error: unknown): ServerFailure {
  const status = error instanceof StreamableHTTPError ? error.code : undefined;
  if (error instanceof UnauthorizedError || status === 401)
    return new ServerFailure("signed-out", "Sign in to this server to use its tools.", { cause: error });
  return new ServerFailure(status === 404 ? "session-lost" : "failed", toText(error, status), { cause: error });
}

function toText(error: unknown, status: number | undefined): string {
  if (status !== undefined && status > 0) return `It responded with HTTP status ${status}.`;
  if (error instanceof z.core.$ZodError) return "Its response does not follow the protocol.";
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) return "It did not respond in time.";
  const text = error instanceof Error ? error.message : String(error);
  return cleanText(text.replace(/^MCP error -?\d+: (Error: )?/, "")).slice(0, MAX_LENGTH);
}
