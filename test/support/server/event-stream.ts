import type { ThreadEvent } from "../../../protocol/events.ts";
import { applyEvent, emptyThreadView, type ThreadView } from "../../../protocol/fold.ts";
import { fillPath } from "../../../protocol/client.ts";
import { streams } from "../../../protocol/routes.ts";
import { setTimeout as pause } from "node:timers/promises";

/** One complete event as received. */
export type StreamEvent = { readonly seq: number; readonly body: string };

/**
 * Parses events from bytes, however they are split. An event that is incomplete when the stream ends was not received.
 */
export function createEventParser(onEvent: (event: StreamEvent) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = "";
  return (bytes) => {
    rest += decoder.decode(bytes, { stream: true });
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const event = toReceived(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (event) onEvent(event);
    }
  };
}

function toReceived(block: string): StreamEvent | undefined {
  const fields = new Map(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  const [id, body] = [fields.get("id"), fields.get("data")];
  return id === undefined || body === undefined ? undefined : { seq: Number(id), body };
}

/**
 * Follows a thread like a page does: folds events, and reconnects with the last cursor when the connection ends. Stores
 * everything received, in order.
 */
export type Follower = {
  readonly received: readonly StreamEvent[];
  readonly view: () => ThreadView;
  readonly connections: () => number;
  /** Resolves once the view satisfies `test`; rejects with a description of the view after `limitMs`. */
  readonly until: (test: (view: ThreadView) => boolean, limitMs?: number) => Promise<ThreadView>;
  readonly close: () => void;
  readonly isClosed: () => boolean;
};

type Options = {
  /** A function is called for every connection, for a client that may reconnect to another node. */
  readonly url: string | (() => string);
  readonly threadId: string;
  readonly after?: number;
  readonly onEvent?: (event: StreamEvent) => void;
};

const RETRY_MS = 20;
const LIMIT_MS = 180_000;

export function followThread({ url, threadId, after = 0, onEvent = () => {} }: Options): Follower {
  const received: StreamEvent[] = [];
  const closing = new AbortController();
  const waiting = new Set<() => void>();
  let view: ThreadView = { ...emptyThreadView, seq: after };
  let connections = 0;

  const parse = () =>
    createEventParser((event) => {
      received.push(event);
      view = applyEvent(view, event.seq, JSON.parse(event.body) as ThreadEvent);
      onEvent(event);
      for (const look of waiting) look();
    });

  const connect = async (): Promise<void> => {
    const feed = parse();
    const address = `${typeof url === "string" ? url : url()}${fillPath(streams.thread, { threadId })}`;
    const headers = { "last-event-id": String(received.at(-1)?.seq ?? after) };
    const response = await fetch(address, { headers, signal: closing.signal });
    if (!response.ok || !response.body) throw new Error(`the stream answered ${response.status}`);
    connections += 1;
    for await (const bytes of response.body) feed(bytes);
  };

  const follow = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await connect().catch(() => {});
      await pause(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  };
  void follow();

  return {
    received,
    view: () => view,
    connections: () => connections,
    until: (test, limitMs = LIMIT_MS) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!test(view)) return;
          finish();
          resolve(view);
        };
        const giveUp = (why: string) => () => {
          finish();
          reject(new Error(`${why}; the thread is at ${describe(view)}`));
        };
        const timer = setTimeout(giveUp(`timed out after ${limitMs} ms`), limitMs);
        const leave = giveUp("the follower was closed");
        const finish = () => {
          clearTimeout(timer);
          waiting.delete(look);
          closing.signal.removeEventListener("abort", leave);
        };
        closing.signal.addEventListener("abort", leave);
        waiting.add(look);
        look();
      }),
    close: () => closing.abort(),
    isClosed: () => closing.signal.aborted,
  };
}

const describe = ({ seq, run, queue, messages }: ThreadView): string =>
  JSON.stringify({ seq, run, queue: queue.length, messages: messages.slice(-2) });
