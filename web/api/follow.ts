import type { LogEvent } from "../../protocol/events.ts";
import { createParser } from "eventsource-parser";
import { toBackoffMs } from "./backoff.ts";

export type LinkState = "connecting" | "live" | "waiting" | "paused" | "gone" | "signed-out";
export type StreamEvent<Event = LogEvent> = { readonly seq: number; readonly event: Event };

/** `Event`: the events of the stream that `toUrl` names. */
export type FollowOptions<Event = LogEvent> = {
  readonly toUrl: () => string;
  onEvent(event: StreamEvent<Event>): void;
  /** Called with the data of events that have a name. They are not stored. */
  readonly onNamed?: (name: string, data: unknown) => void;
  readonly onLink: (link: LinkState) => void;
  readonly fetch?: typeof fetch;
  readonly random?: () => number;
  /** A connection without any data for this long, heartbeats included, is considered dead. */
  readonly silenceMs?: number;
  readonly now?: () => number;
};

export type Follower = {
  /** Connects now instead of waiting for the backoff, and drops a silent connection. For a page that is online or visible again. */
  wake(): void;
  /** Closes the connection; `wake` resumes after the last event. */
  pause(): void;
  close(): void;
};

export type Follow = <Event extends LogEvent>(options: FollowOptions<Event>) => Follower;

/**
 * Follows one event stream: reports events in order and the state of the connection. Reconnects with backoff; `toUrl` is
 * called for each connection, so that it resumes after the last event.
 */
export const follow: Follow = <Event extends LogEvent>({
  toUrl,
  onEvent,
  onNamed,
  onLink,
  silenceMs = 50_000,
  ...options
}: FollowOptions<Event>) => {
  const send = options.fetch ?? fetch.bind(globalThis);
  const random = options.random ?? Math.random;
  const now = options.now ?? Date.now;
  let attempt = 0;
  let closed = false;
  let heardAt = 0;
  let connection: AbortController | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const listen = () => {
    heardAt = now();
    clearTimeout(silence);
    silence = setTimeout(() => connection?.abort(), silenceMs);
  };

  const connect = async () => {
    clearTimeout(retry);
    const mine = (connection = new AbortController());
    listen();
    const isMine = () => connection === mine && !closed;
    if (attempt === 0) onLink("connecting");
    const response = await send(toUrl(), { signal: mine.signal, headers: { accept: "text/event-stream" } }).catch(
      () => null,
    );
    if (!isMine()) return;
    if (response?.status === 404 || response?.status === 410) return stop("gone");
    if (response?.status === 401) return stop("signed-out");
    if (response?.ok && response.body) {
      onLink("live");
      await readAll(response.body, isMine).catch((error: unknown) => {
        // An event that cannot be handled is a bug. It is requested again, after longer and longer pauses.
        console.error(error);
        mine.abort();
      });
      if (!isMine()) return;
    }
    attempt += 1;
    clearTimeout(silence);
    connection = null;
    onLink("waiting");
    retry = setTimeout(() => void connect(), toBackoffMs(attempt, random()));
  };

  const readAll = async (body: ReadableStream<Uint8Array>, isMine: () => boolean) => {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: ({ event: name, id, data }) => {
        if (name !== undefined) {
          if (isMine()) onNamed?.(name, JSON.parse(data));
          return;
        }
        const seq = Number(id);
        if (isMine() && Number.isSafeInteger(seq)) onEvent({ seq, event: JSON.parse(data) as Event });
      },
    });
    for (;;) {
      // A dropped connection is normal: the next one resumes after the last event.
      const piece = await reader.read().catch(() => undefined);
      if (!piece || piece.done || !isMine()) return;
      listen();
      parser.feed(decoder.decode(piece.value, { stream: true }));
      attempt = 0;
    }
  };

  const stop = (link: LinkState) => {
    release();
    onLink(link);
  };
  const release = () => {
    clearTimeout(retry);
    clearTimeout(silence);
    connection?.abort();
    connection = null;
  };

  void connect();
  return {
    wake: () => {
      if (closed || (connection && now() - heardAt < silenceMs / 2)) return;
      release();
      attempt = 0;
      void connect();
    },
    pause: () => {
      if (!closed) stop("paused");
    },
    close: () => {
      closed = true;
      release();
    },
  };
};
