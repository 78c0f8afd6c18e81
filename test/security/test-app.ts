import { connect } from "node:net";
import { tmpdir } from "node:os";
import { api } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { StreamName } from "../../protocol/ids.ts";
import { openAiRoutes } from "../../protocol/surfaces/openai-routes.ts";
import { routes, type RouteName } from "../../protocol/routes.ts";
import type { Authentication, TokenAuthentication } from "../../server/auth/authenticate.ts";
import { createApp, type App, type AppOptions } from "../../server/http/app.ts";
import { createOpenHandlers } from "../../server/http/handlers/accounts.ts";
import type { Handlers, Logger } from "../../server/http/route-types.ts";
import { systemClock } from "../../server/lib/clock.ts";
import { systemIds } from "../../server/lib/ids.ts";
import type { Sink } from "../../server/log/types.ts";
import { createChatStream } from "../../server/surfaces/ai-sdk/chat-stream.ts";
import { authenticateInMemory } from "../support/net/sessions.ts";

/** The HTTP app without services: handlers that count their calls, a log fed by the test, and a logger that records. */
export type TestApp = {
  readonly app: App;
  readonly calls: Map<RouteName, number>;
  readonly lines: string[];
  readonly watchers: FakeWatcher[];
};

export type FakeWatcher = {
  readonly stream: StreamName;
  readonly after: number;
  readonly sink: Sink;
  resumed: number;
  closed: number;
  onResume: () => void;
  onClose: () => void;
};

export const origin = "http://localhost:3737";
export const threadId = "t-1";
const refuse = (): Promise<never> => Promise.reject(new ApiError("invalid", "no message is taken here"));

type TestOptions = Partial<Omit<AppOptions, "authentication" | "open">> & {
  token?: string;
  authentication?: Authentication & Partial<Pick<TokenAuthentication, "signIn">>;
  openShared?: Parameters<typeof createOpenHandlers>[1];
};

export function createTestApp(options: TestOptions = {}): TestApp {
  const authentication = options.authentication ?? authenticateInMemory(options.token ?? null, systemClock);
  const calls = new Map<RouteName, number>();
  const lines: string[] = [];
  const watchers: FakeWatcher[] = [];
  const remember = (fields: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? value.stack : value))}`);
  };
  const logger: Logger = { debug: remember, info: remember, warn: remember, error: remember };
  const app = createApp({
    handlers: countCalls(calls),
    open: createOpenHandlers(
      { ...authentication, kind: "token", signIn: authentication.signIn ?? refuse },
      options.openShared ??
        (async () => {
          calls.set("getShared", (calls.get("getShared") ?? 0) + 1);
          return { title: "", sharedAt: 0, messages: [], leftOut: 0 };
        }),
    ),
    watch: (stream, after, sink) => {
      const watcher: FakeWatcher = {
        stream,
        after,
        sink,
        resumed: 0,
        closed: 0,
        onResume: () => {},
        onClose: () => {},
      };
      watchers.push(watcher);
      return {
        resume: () => {
          watcher.resumed += 1;
          watcher.onResume();
        },
        close: () => {
          watcher.closed += 1;
          watcher.onClose();
        },
      };
    },
    openAi: Object.fromEntries(
      Object.keys(openAiRoutes).map((name) => [name, async () => ({ json: {} })]),
    ) as unknown as AppOptions["openAi"],
    authorizeThread: async () => {},
    authorizeProject: async () => {},
    userStreamOf: ({ userId }) => `user:${userId}`,
    config: { host: "127.0.0.1", port: 3737, hosts: [] },
    servePreview: async () => ({ status: 404, headers: {}, body: "" }),
    projectUploads: {
      assertProject: async () => {},
      add: async () => Promise.reject(new Error("no file is taken here")),
    },
    imports: {
      assertFree: async () => {},
      add: async () => Promise.reject(new Error("no file is taken here")),
    },
    attachments: {
      add: async () => Promise.reject(new Error("no file is taken here")),
      assertFreeSlot: async () => {},
      open: async () => ({
        ...{ name: "a.txt", kind: "text", mediaType: "text/plain", sizeBytes: 0 },
        pieces: (async function* () {})(),
      }),
      openPage: async () => new Uint8Array(),
    },
    chats: {
      post: async () => Promise.reject(new ApiError("invalid", "no chat is taken here")),
      resume: async () => createChatStream(threadId, 0, { inputId: "none" }),
    },
    aliases: {
      turns: { research: refuse, autopilot: refuse, project: refuse },
      callWebTool: refuse,
    },
    uploadsDir: tmpdir(),
    archive: async () => ({ name: "workspace.zip", bytes: Buffer.alloc(0) }),
    health: async () => ({ ok: true }),
    metrics: async () => "up 1\n",
    webDir: "/does/not/exist",
    version: "0.0.0",
    logger,
    clock: systemClock,
    ids: systemIds,
    ...options,
    authentication,
  });
  return { app, calls, lines, watchers };
}

function countCalls(calls: Map<RouteName, number>): Handlers {
  const entries = (Object.keys(routes) as RouteName[]).map((name) => [
    name,
    async () => {
      calls.set(name, (calls.get(name) ?? 0) + 1);
      return "downloads" in api[name] ? { name, type: "text/markdown", chunks: toChunks(name) } : { id: name };
    },
  ]);
  return Object.fromEntries(entries) as Handlers;
}

async function* toChunks(text: string): AsyncGenerator<string> {
  yield text;
}

/** Listens on a free port. */
export async function listenTestApp(options: TestOptions = {}): Promise<TestApp & { url: string; port: number }> {
  const door = createTestApp({ config: { host: "127.0.0.1", port: 0, hosts: [] }, ...options });
  return { ...door, ...(await door.app.listen()) };
}

export const fill = (path: string): string =>
  path
    .replace(":threadId", threadId)
    .replace(":token", "x".repeat(43))
    .replace(":provider", "openai")
    .replace(":page", "1")
    .replace(":role", "member")
    .replace(/:\w+/g, "x-1");

/** A request that a route accepts as far as method, address and type go; what it says may still be refused. */
export function toRequest(
  route: { method: string; path: string },
  init: { headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> } = {},
): Request {
  const isRead = route.method === "GET";
  return new Request(origin + fill(route.path), {
    method: route.method,
    headers: { ...(isRead ? {} : { "content-type": "application/json" }), ...init.headers },
    ...(isRead ? {} : { body: init.body ?? "{}", duplex: "half" }),
  });
}

/** Bytes in, all bytes out until the server closes: for what no HTTP client would send. */
export const exchange = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
    socket.on("error", reject);
  });
