import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { BodyInput } from "../../protocol/api.ts";
import { createClient, type Client } from "../../protocol/client.ts";
import { applyEvent, emptyThreadView, type ThreadView } from "../../protocol/fold.ts";
import type { LogEvent, ThreadEvent } from "../../protocol/events.ts";
import type { ModelEvent, PromptMessage } from "../../protocol/model.ts";
import type { RunView } from "../../protocol/run.ts";
import { readConfig } from "../../server/config/config.ts";
import type { Timeouts } from "../../server/model/models-config.ts";
import type { Clock } from "../../server/lib/clock.ts";
import type { Script } from "../../server/model/scripted.ts";
import type { Store } from "../../server/store/contract.ts";
import { openStore } from "../../server/store/open.ts";
import { serve, type Server } from "../../server/serve.ts";
import type { Tool } from "../../server/tools/tool.ts";

export type Instance = {
  readonly url: string;
  readonly server: Server;
  readonly client: Client;
  readonly dataDir: string;
  /** Creates a thread and returns its id. */
  readonly start: (options?: Partial<BodyInput<"createThread">>) => Promise<string>;
  readonly send: (
    threadId: string,
    text: string,
    extra?: { id?: string; mode?: "queue" | "steer"; model?: string },
  ) => Promise<string>;
  readonly follow: (threadId: string, after?: number) => Follower;
  /** Stops the server and keeps its folder for another instance. */
  readonly leave: () => Promise<string>;
  readonly close: () => Promise<void>;
};

export type Follower = {
  readonly rows: { seq: number; event: LogEvent }[];
  readonly view: () => ThreadView;
  /** Resolves with the view once it matches; rejects if the stream ends first. */
  readonly until: (fits: (view: ThreadView) => boolean) => Promise<ThreadView>;
  /** The end of the nth run on this stream. */
  readonly ended: (count?: number) => Promise<RunView>;
  readonly close: () => void;
};

type Options = {
  readonly script?: Script;
  readonly tools?: readonly Tool[];
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** The clock is that of a node, and background jobs use the database's. Default: `clock` is the time everywhere. */
  readonly isNodeClock?: boolean;
  readonly wrapStore?: (store: Store) => Store;
  /** Total timeout of a model call, if shorter than the setting. */
  readonly totalMs?: number;
  readonly timeouts?: Timeouts;
  readonly pushCa?: string;
  readonly webDir?: string;
  /** Folder of an earlier instance, whose threads continue. */
  readonly dataDir?: string;
};

/** Far cheaper than in production, so that tests can sign in often. */
const passwordCost = { ln: 4, r: 8, p: 1 } as const;

let lastId = 0;
export const mintId = (prefix = "id"): string => `${prefix}-${process.pid}-${++lastId}`;

let newDatabase: Promise<string> | undefined;

/** A database with the newest schema. Copying it takes a fraction of the time of the migrations. */
async function copyNewDatabase(dataDir: string): Promise<void> {
  newDatabase ??= createNewDatabase();
  cpSync(await newDatabase, join(dataDir, "stonechat.db"));
}

async function createNewDatabase(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "stonechat-new-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const store = await openStore({ directory, databaseUrl: null });
  await store.close();
  return join(directory, "stonechat.db");
}

/** A real server in this process with a separate database, closed at the end of the test. */
export async function startInstance(options: Options = {}): Promise<Instance> {
  const instance = await createInstance(options);
  onTestFinished(instance.close);
  return instance;
}

export async function createInstance(options: Options = {}): Promise<Instance> {
  const { script, tools = [], env = {}, totalMs, clock, wrapStore = (store) => store } = options;
  const isTimeEverywhere = clock !== undefined && options.isNodeClock !== true;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "stonechat-"));
  if (options.dataDir === undefined && env["STONECHAT_DATABASE_URL"] === undefined) await copyNewDatabase(dataDir);
  const config = readConfig({
    STONECHAT_DATA: dataDir,
    STONECHAT_PORT: "0",
    STONECHAT_SCRIPTED: "1",
    STONECHAT_LOG: "silent",
    STONECHAT_TITLES: "off",
    ...env,
  });
  const timeouts = { ...config.models.timeouts, ...options.timeouts, ...(totalMs ? { totalMs } : {}) };
  const models = { ...config.models, timeouts, scripted: script ?? config.models.scripted };
  const telemetry = config.telemetry && { ...config.telemetry, flushMs: 500 };
  const server = await serve({ ...config, models, telemetry } as typeof config, {
    tools,
    passwordCost,
    ...(clock ? { clock } : {}),
    ...(options.pushCa ? { pushCa: options.pushCa } : {}),
    ...(options.webDir ? { webDir: options.webDir } : {}),
    wrapStore: (store) => wrapStore(isTimeEverywhere ? { ...store, readTime: null } : store),
  });
  const client = createClient({ baseUrl: server.url });
  const followers = new Set<Follower>();
  let closed = false;
  return {
    close: async () => {
      for (const follower of followers) follower.close();
      if (!closed) await server.close();
      closed = true;
      rmSync(dataDir, { recursive: true, force: true });
    },
    leave: async () => {
      closed = true;
      await server.close();
      return dataDir;
    },
    url: server.url,
    server,
    client,
    dataDir,
    start: async ({ id = mintId("thread"), ...more } = {}) => {
      await client.createThread({ body: { id, ...more } });
      return id;
    },
    send: async (threadId, text, { id = mintId("message"), ...extra } = {}) => {
      await client.sendMessage({ params: { threadId }, body: { id, text, ...extra } });
      return id;
    },
    follow: (threadId, after = 0) => {
      const follower = followStream(`${server.url}/api/threads/${threadId}/stream?after=${after}`);
      followers.add(follower);
      return follower;
    },
  };
}

export function followStream(url: string): Follower {
  const controller = new AbortController();
  const rows: Follower["rows"] = [];
  const waiting = new Set<() => void>();
  let view: ThreadView = emptyThreadView;
  let gone: Error | undefined;

  const read = async (): Promise<void> => {
    const response = await fetch(url, { signal: controller.signal });
    if (!response.ok || !response.body) throw new Error(`the stream answered ${response.status}`);
    let rest = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + chunk).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) take(frame);
      for (const look of waiting) look();
    }
    throw new Error("the stream ended");
  };
  const take = (frame: string): void => {
    const seq = /^id: (\d+)$/m.exec(frame)?.[1];
    const body = /^data: ([^\n]*)/m.exec(frame)?.[1];
    if (seq === undefined || body === undefined) return;
    const event = JSON.parse(body) as LogEvent;
    rows.push({ seq: Number(seq), event });
    view = applyEvent(view, Number(seq), event as ThreadEvent);
  };
  read().catch((error: Error) => {
    gone = error;
    for (const look of waiting) look();
  });

  const until = (fits: (view: ThreadView) => boolean): Promise<ThreadView> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!fits(view) && !gone) return;
        waiting.delete(look);
        if (fits(view)) resolve(view);
        else reject(gone ?? new Error("gone"));
      };
      waiting.add(look);
      look();
    });
  const endings = (): RunView[] => rows.flatMap(({ event }) => (event.type === "run-ended" ? [event.run] : []));
  return {
    rows,
    view: () => view,
    until,
    ended: async (count = 1) => {
      await until(() => endings().length >= count);
      return endings()[count - 1] as RunView;
    },
    close: () => controller.abort(),
  };
}

const usage = {
  inputTokens: 10,
  outputTokens: 5,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  estimated: false,
};

/** A complete answer of one text. */
export const say = (text: string): ModelEvent[] => [
  { type: "start", key: "t", kind: "text" },
  { type: "delta", key: "t", text },
  { type: "end", key: "t" },
  { type: "finish", reason: "stop", usage },
];

/** An answer that calls tools, with the arguments as text. */
export const call = (...calls: readonly { name: string; input: string; id?: string }[]): ModelEvent[] => [
  ...calls.map(({ name, input, id }, index): ModelEvent => ({
    type: "tool-call",
    key: `c${index}`,
    callId: id ?? `call-${index}`,
    name,
    inputText: input,
  })),
  { type: "finish", reason: "tool-calls", usage },
];

/** A gate that a test opens, so that races run in a defined order without sleeping. */
export function createGate(): { readonly open: () => void; readonly passed: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: () => resolve(), passed: promise };
}

/** The prompt without context updates. */
export const withoutContextUpdates = (messages: readonly PromptMessage[]): readonly PromptMessage[] =>
  messages.flatMap(({ breakpoint: _, ...message }) =>
    message.role === "user" && /^<(?:now|context)\b/.test(message.text) ? [] : [message],
  );
