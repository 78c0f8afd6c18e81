import type { Import } from "./account/imports.ts";
import type { Attachment } from "./attachments.ts";
import {
  createClient,
  fillPath,
  toCredentials,
  toQuery,
  toResponseError,
  type Client,
  type ClientOptions,
} from "./client.ts";
import type { LogEvent, ProjectEvent, ThreadEvent, UserEvent } from "./events.ts";
import { applyEvent, emptyThreadView, type ThreadView } from "./fold.ts";
import type { ProjectUpload, ProjectUploadTarget } from "./project/uploads.ts";
import { streams } from "./routes.ts";

export { ResponseError, type Client, type ClientOptions } from "./client.ts";
export { isActive, textOf, type MessageView, type ThreadView } from "./fold.ts";
export type { LogEvent, ProjectEvent, ThreadEvent, UserEvent } from "./events.ts";
export type { Part } from "./parts.ts";

/**
 * The client of the package, exported as `stonechat/client`: every route of the route table, and the routes whose bodies are
 * streams or files. It runs in Node and in browsers.
 *
 * A stream first connects or throws; a connection that is lost later is opened again after the last event, so no event is
 * missed or repeated. It ends when `signal` aborts, and throws if the server refuses it, for example because the key was
 * revoked.
 */
export type ApiClient = Client & {
  readonly streamThread: (
    input: { readonly params: { readonly threadId: string } } & After,
    signal?: AbortSignal,
  ) => EventStream<ThreadEvent>;
  readonly streamProject: (
    input: { readonly params: { readonly projectId: string } } & After,
    signal?: AbortSignal,
  ) => EventStream<ProjectEvent>;
  readonly streamUser: (input: After, signal?: AbortSignal) => EventStream<UserEvent>;
  /** The thread's state now, and after each event. */
  readonly watchThread: (
    input: { readonly params: { readonly threadId: string } },
    signal?: AbortSignal,
  ) => AsyncGenerator<ThreadView, void>;
  readonly uploadAttachment: (
    input: {
      readonly query: { readonly name: string; readonly threadId?: string };
      readonly body: Blob | Uint8Array<ArrayBuffer>;
    },
    signal?: AbortSignal,
  ) => Promise<Attachment>;
  /** Adds a file to a project: its text as a document, or itself as one of the project's files. */
  readonly uploadToProject: (
    input: {
      readonly params: { readonly projectId: string };
      readonly query: { readonly name: string; readonly as?: ProjectUploadTarget };
      readonly body: Blob | Uint8Array<ArrayBuffer>;
    },
    signal?: AbortSignal,
  ) => Promise<ProjectUpload>;
  /** Imports threads from a file, in the background: `getImport` has the progress and the report. */
  readonly uploadImport: (
    input: { readonly query: { readonly name: string }; readonly body: Blob | Uint8Array<ArrayBuffer> },
    signal?: AbortSignal,
  ) => Promise<Import>;
  readonly getAttachmentFile: (input: OfAttachment, signal?: AbortSignal) => Promise<Uint8Array>;
  /** As JPEG. */
  readonly getAttachmentPage: (
    input: { readonly params: OfAttachment["params"] & { readonly page: number } },
    signal?: AbortSignal,
  ) => Promise<Uint8Array>;
  /** As a zip archive. */
  readonly getArchive: (
    input: { readonly params: { readonly projectId: string } },
    signal?: AbortSignal,
  ) => Promise<Uint8Array>;
};

/** `after`: the seq of the last received event; 0 or omitted: from the beginning. */
type After = { readonly query?: { readonly after?: number } };
type OfAttachment = { readonly params: { readonly attachmentId: string } };
export type EventStream<Event> = AsyncGenerator<{ readonly seq: number; readonly event: Event }, void>;

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 10_000;
/** The server sends something at least every 15 seconds. A connection that is silent for longer is dead. */
const SILENCE_MS = 50_000;

export function createApiClient(options: ClientOptions = {}): ApiClient {
  const { baseUrl = "", key, headers = {}, fetch: send = fetch } = options;
  const client = createClient(options);
  const fixed = { ...headers, ...toCredentials(key) };

  const open = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await send(baseUrl + path, { ...init, headers: { ...fixed, ...init.headers } });
    if (response.ok) return response;
    throw await toResponseError(response);
  };
  const download = async (path: string, signal: AbortSignal | undefined): Promise<Uint8Array> =>
    new Uint8Array(await (await open(path, signal ? { signal } : {})).arrayBuffer());

  const upload = async (
    path: string,
    body: Blob | Uint8Array<ArrayBuffer>,
    signal: AbortSignal | undefined,
  ): Promise<unknown> => {
    const headers = { "content-type": "application/octet-stream" };
    return (await open(path, { method: "POST", headers, body, ...(signal ? { signal } : {}) })).json();
  };

  const stream = async function* <Event extends LogEvent>(
    path: string,
    after: number,
    signal: AbortSignal = new AbortController().signal,
  ): EventStream<Event> {
    let [cursor, waitMs, isFirst] = [after, FIRST_WAIT_MS, true];
    while (!signal.aborted) {
      const connection = createConnection(signal);
      try {
        const response = await open(`${path}?after=${cursor}`, { signal: connection.signal });
        [isFirst, waitMs] = [false, FIRST_WAIT_MS];
        for await (const { seq, event } of readEvents<Event>(response, connection.touch)) {
          cursor = seq;
          yield { seq, event };
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isFirst || isRefusal(error)) throw error;
      } finally {
        connection.close();
      }
      await wait(waitMs, signal);
      waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
    }
  };

  const streamThread: ApiClient["streamThread"] = ({ params, query }, signal) =>
    stream(fillPath(streams.thread, params), query?.after ?? 0, signal);

  return {
    ...client,
    streamThread,
    streamProject: ({ params, query }, signal) => stream(fillPath(streams.project, params), query?.after ?? 0, signal),
    streamUser: ({ query }, signal) => stream(streams.user, query?.after ?? 0, signal),
    watchThread: async function* ({ params }, signal) {
      const load = async (): Promise<ThreadView> => ({
        ...emptyThreadView,
        ...(await client.getThread({ params }, signal)),
      });
      let view = await load();
      yield view;
      for await (const { seq, event } of streamThread({ params, query: { after: view.seq } }, signal)) {
        view = applyEvent(view, seq, event);
        // The active branch changed to messages that are not loaded.
        if (view.stale) view = await load();
        yield view;
      }
    },
    uploadImport: async ({ query, body }, signal) =>
      (await upload(`/api/imports${toQuery(query)}`, body, signal)) as Import,
    uploadAttachment: async ({ query, body }, signal) =>
      (await upload(`/api/attachments${toQuery(query)}`, body, signal)) as Attachment,
    uploadToProject: async ({ params, query, body }, signal) =>
      (await upload(
        `${fillPath("/api/projects/:projectId/uploads", params)}${toQuery(query)}`,
        body,
        signal,
      )) as ProjectUpload,
    getAttachmentFile: ({ params }, signal) =>
      download(fillPath("/api/attachments/:attachmentId/file", params), signal),
    getAttachmentPage: ({ params: { attachmentId, page } }, signal) =>
      download(fillPath("/api/attachments/:attachmentId/pages/:page", { attachmentId, page: String(page) }), signal),
    getArchive: ({ params }, signal) => download(fillPath("/api/projects/:projectId/archive", params), signal),
  };
}

/** The request is wrong or not allowed, so that repeating it does not help. */
const isRefusal = (error: unknown): boolean => {
  const { status = 0 } = error as { readonly status?: number };
  return status >= 400 && status < 500 && status !== 429;
};

/** A signal that aborts with the caller's, and when the connection is silent for too long. */
function createConnection(signal: AbortSignal) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  return {
    signal: AbortSignal.any([signal, silence.signal]),
    touch: (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    },
    close: (): void => {
      clearTimeout(timer);
      silence.abort();
    },
  };
}

async function* readEvents<Event>(response: Response, touch: () => void): EventStream<Event> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let rest = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    touch();
    const frames = (rest + decoder.decode(piece.value, { stream: true })).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const seq = /^id: (\d+)$/m.exec(frame)?.[1];
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (seq !== undefined && data !== undefined) yield { seq: Number(seq), event: JSON.parse(data) as Event };
    }
  }
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
