import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import type { Response, ThreadSnapshot } from "../../protocol/api.ts";
import type { LogEvent, MessageHead, ThreadSummary } from "../../protocol/events.ts";
import type { Part } from "../../protocol/parts.ts";
import { toEarlyEnd } from "../../protocol/fold.ts";
import { fillPath } from "../../protocol/client.ts";
import { routes, streams, type RouteName } from "../../protocol/routes.ts";
import { noUsage, type RunView } from "../../protocol/run.ts";

/**
 * A thread controlled by the test, on a real page from a real server. Its snapshot and stream are stubs, and the page's
 * requests are recorded. For states that a real server reaches only by chance; other tests cover whole flows with the server.
 */
export const threadId = "stub-thread";
export const answerId = "stub-answer";

export type StubThread = {
  /** The page's requests besides GET: route and body. */
  readonly requests: { readonly name: RouteName; readonly body: unknown }[];
  readonly emit: (...events: readonly LogEvent[]) => void;
  /** Settles these parts of the answer. */
  readonly settle: (...parts: readonly Part[]) => void;
  readonly setRun: (change: Partial<RunView>) => void;
  /** Sets the response of a route; a status of 400 or more is an error. */
  readonly answer: (name: RouteName, status: number, body: unknown) => void;
};

type Options = {
  readonly parts?: readonly Part[];
  readonly run?: Partial<RunView>;
  readonly thread?: Partial<ThreadSummary>;
  readonly artifacts?: readonly Response<"getArtifact">[];
  /** Routes whose response depends on the request. */
  readonly replies?: Readonly<Record<string, Reply>>;
};

export type Reply = (params: Readonly<Record<string, string>>, body: unknown, query: URLSearchParams) => unknown;

const noContext: Response<"getContext"> = { policy: "stone", epochs: [], summaries: [], pins: [], state: null };

/** Sets a response function for this route of any thread. */
export async function answerRoute(page: Page, origin: string, name: RouteName, reply: Reply): Promise<void> {
  const { method, path } = routes[name];
  const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
  await page.route(
    (url) => url.origin === origin && pattern.test(url.pathname),
    async (route) => {
      const request = route.request();
      if (request.method() !== method) return route.fallback();
      const { pathname, searchParams } = new URL(request.url());
      const params = pattern.exec(pathname)?.groups ?? {};
      const body: unknown = method === "GET" ? undefined : request.postDataJSON();
      await route.fulfill({ json: reply(params, body, searchParams) });
    },
  );
}

const at = 1_790_000_000_000;

export async function stubThread(page: Page, origin: string, options: Options = {}): Promise<StubThread> {
  const requests: StubThread["requests"] = [];
  const readers = new Set<ServerResponse>();
  const events: LogEvent[] = [];
  const answers = new Map<RouteName, { status: number; body: unknown }>();
  let run = toRun(options.run ?? {});
  const snapshot = toSnapshot(options, run);
  const frame = (event: LogEvent, index: number) =>
    `id: ${snapshot.seq + 1 + index}\ndata: ${JSON.stringify(event)}\n\n`;

  const stream = createServer((request, response) => {
    const after = Number(new URL(request.url ?? "", "http://x").searchParams.get("after"));
    response.writeHead(200, { "content-type": "text/event-stream", "access-control-allow-origin": "*" });
    response.write(
      `: hello\n\n${events
        .map(frame)
        .slice(Math.max(0, after - snapshot.seq))
        .join("")}`,
    );
    readers.add(response);
    response.on("close", () => readers.delete(response));
  });
  await new Promise<void>((resolve) => stream.listen(0, "127.0.0.1", resolve));
  // Not before the page: it would report a broken stream as an error.
  page.once("close", () => {
    stream.closeAllConnections();
    stream.close();
  });
  const streamUrl = `http://127.0.0.1:${(stream.address() as AddressInfo).port}`;
  const toPath = (name: RouteName) => fillPath(routes[name].path, { threadId });

  const reply = async (name: RouteName, status: number, body: unknown) =>
    page.route(
      (url) => url.origin === origin && url.pathname === toPath(name),
      async (route) => {
        const request = route.request();
        if (request.method() !== routes[name].method) return route.fallback();
        if (request.method() !== "GET") requests.push({ name, body: request.postDataJSON() });
        const response = answers.get(name) ?? { status, body };
        await route.fulfill({ status: response.status, json: response.body });
      },
    );
  await reply("getThread", 200, snapshot);
  await reply("getContext", 200, noContext);
  await reply("listReceipts", 200, { receipts: [], nextBefore: null });
  for (const name of ["decideCall", "continueRun", "retryRun", "stopRun"] as const)
    await reply(name, 202, { id: "x", seq: 1 });
  await reply("revealValue", 200, { value: "hunter2-the-secret" });
  await reply("undoMemory", 200, { memory: {} });
  await reply("memoryOfThread", 200, { changes: [{ id: "change-1", undone: false, undoable: true }], fields: [] });
  await page.route(
    `${origin}${fillPath(routes.getArtifact.path, { threadId, ref: "*" }).replace("%2A", "*")}`,
    (route) => {
      const ref = Number(new URL(route.request().url()).pathname.split("/").at(-1));
      const artifact = options.artifacts?.find((one) => one.ref === ref);
      return artifact
        ? route.fulfill({ json: artifact })
        : route.fulfill({ status: 404, json: { error: { code: "not-found", message: "gone", requestId: "r" } } });
    },
  );
  await page.route(
    (url) => url.origin === origin && url.pathname === fillPath(streams.thread, { threadId }),
    (route) => route.continue({ url: `${streamUrl}/${new URL(route.request().url()).search}` }),
  );
  const draft = { threadId, text: "", at: 0, version: 0 };
  await answerRoute(page, origin, "listAttachments", () => ({ attachments: [] }));
  await answerRoute(page, origin, "getDraft", () => ({ draft }));
  await answerRoute(page, origin, "setDraft", (_, body) => ({
    kept: true,
    draft: { ...draft, ...(body as { text: string }), version: 1 },
  }));
  for (const [name, reply] of Object.entries(options.replies ?? {}) as [RouteName, Reply][])
    await answerRoute(page, origin, name, (params, body, query) => {
      if (routes[name].method !== "GET") requests.push({ name, body });
      return reply(params, body, query);
    });
  await page.goto(`${origin}/t/${threadId}`);

  const emit = (...more: readonly LogEvent[]) => {
    for (const event of more) {
      events.push(event);
      for (const reader of readers) reader.write(frame(event, events.length - 1));
    }
  };
  return {
    requests,
    emit,
    settle: (...parts) => emit(...parts.map((part): LogEvent => ({ type: "part-settled", messageId: answerId, part }))),
    setRun: (change) => {
      run = { ...run, ...change };
      emit({ type: run.state === "ended" ? "run-ended" : "run-stepped", run });
    },
    answer: (name, status, body) => void answers.set(name, { status, body }),
  };
}

const toRun = (change: Partial<RunView>): RunView => ({
  id: "stub-run",
  threadId,
  messageId: answerId,
  state: "running",
  outcome: null,
  reason: null,
  step: 1,
  model: "scripted/script",
  usage: noUsage,
  costUsd: 0,
  startedAt: at,
  endedAt: null,
  ...change,
});

const toHead = (id: string, role: MessageHead["role"], depth: number): MessageHead => ({
  id,
  role,
  branchId: "b",
  depth,
  runId: null,
  variants: [id],
  createdAt: at,
});

const toSnapshot = ({ parts = [], thread = {} }: Options, run: RunView): ThreadSnapshot => ({
  seq: 10,
  thread: {
    id: threadId,
    title: "Tides at the coast",
    preview: "",
    profile: "research",
    model: "scripted/script",
    status: "streaming",
    pinned: false,
    archived: false,
    messageCount: 2,
    createdAt: at,
    updatedAt: at,
    policy: null,
    effort: null,
    projectId: null,
    focusId: null,
    mode: null,
    temporary: false,
    seenAt: 0,
    ...thread,
  },
  messages: [
    {
      ...toHead("stub-question", "user", 1),
      parts: [
        { id: "q", v: 1, n: 0, step: 0, kind: "text", state: "done", text: "How high are the tides at Saint-Malo?" },
      ],
    },
    { ...toHead(answerId, "assistant", 2), runId: run.id, parts, endedEarly: toEarlyEnd(run) },
  ],
  queue: [],
  run,
});
