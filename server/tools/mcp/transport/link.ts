import {
  Client,
  InsufficientScopeError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { VERSION } from "../../../config/version.ts";
import { sleep } from "../../../lib/sleep.ts";
import { toDefinition, type Definition } from "../definition.ts";
import { removeInvisible } from "../clean-text.ts";
import { createCalls, type McpToolCall } from "./calls.ts";
import { fillPrompt, listPrompts, type McpPrompt } from "./prompts.ts";
import { RESOURCE_TOOL, resourceTool } from "./resources.ts";
import { ServerFailure } from "./server-failure.ts";

/** One MCP session with a server. It is never repaired, only replaced. */
export type Link = {
  readonly list: () => ToolList;
  /** Requests the list again, at most once per second. */
  readonly refresh: () => void;
  readonly call: (call: McpToolCall) => Promise<unknown>;
  readonly listPrompts: () => Promise<readonly McpPrompt[]>;
  readonly fillPrompt: (name: string, values: Readonly<Record<string, string>>) => Promise<string>;
  readonly isAlive: () => Promise<boolean>;
  /** Fails a call whose response stream was cut. */
  readonly abandonCall: (requestId: number) => void;
  readonly cancelHeld: (held: string) => void;
  /** Calls run, or wait for the user's answer. */
  readonly isBusy: () => boolean;
  /** Resolves when the session is over. */
  readonly ended: Promise<void>;
  readonly hasEnded: () => boolean;
  /** Why this side closed it; empty if it did not. */
  readonly fault: () => string;
  readonly close: () => Promise<void>;
};

export type ToolList = { readonly definitions: readonly Definition[]; readonly problems: readonly string[] };

const MAX_TOOLS = 500;
const MAX_PAGES = 50;
const REFRESH_INTERVAL_MS = 1000;
const PING_MS = 3000;

const Page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** We check outputs ourselves: the SDK would compile the server's untrusted schema into code. */
const unchecked = {
  getValidator: () => () => {
    throw new Error("not used");
  },
};

type LinkOptions = {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** `auto`: asks the server whether it speaks the 2026-07-28 specification. `legacy`: it speaks one of 2025. */
  readonly mode: "auto" | "legacy";
  /** How long it may take to say so. */
  readonly probeMs: number;
};

export async function openLink(transport: Transport, { signal, timeoutMs, mode, probeMs }: LinkOptions): Promise<Link> {
  const client = new Client(
    { name: "stonechat", version: VERSION },
    {
      jsonSchemaValidator: unchecked,
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode, probe: { timeoutMs: Math.min(probeMs, timeoutMs) } },
    },
  );
  const session = new AbortController();
  const { promise: ended, resolve: endedNow } = Promise.withResolvers<void>();
  let lastRequestId = -1;
  const otherIds = new Set<string>();
  let fault = "";
  const toolList = createToolList(client, session.signal, timeoutMs);
  const isModern = (): boolean => client.getProtocolEra() === "modern";

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
    if (!Array.isArray(message) && "method" in message && "id" in message) {
      if (typeof message.id === "number") lastRequestId = message.id;
      else otherIds.add(message.id);
    }
    return send(message, options);
  };
  transport.onmessage = (message: JSONRPCMessage) => {
    // A response to a request that was never sent: the server's other responses cannot be trusted either.
    if ("method" in message || isKnownRequestId(message.id, lastRequestId) || otherIds.has(String(message.id))) return;
    fault = "It responded to a request that was not sent.";
    void close();
  };

  const options = { signal: session.signal, timeout: timeoutMs };
  const rethrow = (error: unknown): never => {
    throw toFailure(error);
  };
  const calls = createCalls({
    ...{ client, toFailure, isResourceTool: toolList.isOwn },
    lastRequestId: () => lastRequestId,
  });

  // The SDK does not watch the signal while it asks for the specification.
  const stopConnecting = (): void => void transport.close().catch(() => {});
  signal.addEventListener("abort", stopConnecting, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect(transport, { signal, timeout: timeoutMs });
    client.setNotificationHandler("notifications/tools/list_changed", toolList.refresh);
    const { tools } = client.getServerCapabilities() ?? {};
    await toolList.read();
    // Since 2026, changes are announced only on request. Without it the list is read again every few minutes.
    // A change before the stream was open is not announced.
    if (tools?.listChanged && isModern()) client.listen({ toolsListChanged: true }).then(toolList.refresh, () => {});
  } catch (error) {
    await close().catch(() => {});
    throw toFailure(error);
  } finally {
    signal.removeEventListener("abort", stopConnecting);
  }
  return {
    list: toolList.get,
    refresh: toolList.refresh,
    call: calls.call,
    listPrompts: () => listPrompts(client, options).catch(rethrow),
    fillPrompt: (name, values) => fillPrompt(client, { name, arguments: values }, options).catch(rethrow),
    isAlive: () =>
      (isModern() ? client.discover({ timeout: PING_MS }) : client.ping({ timeout: PING_MS })).then(
        () => true,
        () => false,
      ),
    abandonCall: calls.abandon,
    cancelHeld: calls.cancelHeld,
    isBusy: calls.isBusy,
    ended,
    hasEnded: () => session.signal.aborted,
    fault: () => fault,
    close,
  };
}

/** The server's tool list. Refreshes are coalesced, at most one per second. */
function createToolList(client: Client, signal: AbortSignal, timeoutMs: number) {
  let list: ToolList = { definitions: [], problems: [] };
  let hasOwn = false;
  let isDue = false;
  let isReading = false;

  const read = async (): Promise<void> => {
    const { tools, resources } = client.getServerCapabilities() ?? {};
    const listed = toList(tools ? await readPages() : []);
    // If the server has a tool with this name, ours is not added.
    hasOwn = resources !== undefined && listed.definitions.every(({ name }) => name !== RESOURCE_TOOL);
    list = hasOwn ? { ...listed, definitions: [...listed.definitions, resourceTool] } : listed;
  };

  const readPages = async (): Promise<readonly unknown[]> => {
    const entries: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && entries.length <= MAX_TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await client.request({ method: "tools/list", params }, Page, { signal, timeout: timeoutMs });
      entries.push(...result.tools.slice(0, MAX_TOOLS + 1));
      if (result.nextCursor === undefined || result.nextCursor === cursor) break;
      cursor = result.nextCursor;
    }
    return entries;
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

  /** Whether this name is our tool for resources. */
  const isOwn = (tool: string): boolean => hasOwn && tool === RESOURCE_TOOL;
  return { get: () => list, isOwn, read, refresh: (): void => void refresh() };
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
  const status = error instanceof SdkHttpError ? error.status : undefined;
  if (error instanceof InsufficientScopeError)
    return new ServerFailure("signed-out", "This needs more rights. Sign in to this server again.", { cause: error });
  if (error instanceof UnauthorizedError || status === 401)
    return new ServerFailure("signed-out", "Sign in to this server to use its tools.", { cause: error });
  return new ServerFailure(status === 404 ? "session-lost" : "failed", toText(error, status), { cause: error });
}

function toText(error: unknown, status: number | undefined): string {
  if (status !== undefined && status > 0) return `It responded with HTTP status ${status}.`;
  const code = error instanceof SdkError ? error.code : undefined;
  if (code === SdkErrorCode.InvalidResult) return "Its response does not follow the protocol.";
  if (code === SdkErrorCode.RequestTimeout) return "It did not respond in time.";
  const text = error instanceof Error ? error.message : String(error);
  return removeInvisible(text.replace(/^MCP error -?\d+: (Error: )?/, "")).slice(0, MAX_LENGTH);
}
