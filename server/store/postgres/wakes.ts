import type { StreamName } from "../../../protocol/ids.ts";
import { sleep } from "../../lib/sleep.ts";
import { toConfig } from "./connection.ts";
import { toPostgresError } from "./failure.ts";
import { WatchedClient } from "./watched-client.ts";

type WakeCallback = (streams: readonly StreamName[] | null, drive: readonly string[]) => void;
type Wake = {
  readonly from: string;
  readonly streams: readonly StreamName[] | null;
  readonly drive: readonly string[];
};

/**
 * Notifies other processes of new rows, by stream name only, and receives their notifications. Sent after the commit on a
 * separate connection, so a notification may be late, repeated or lost. After a lost connection, callbacks get null: any
 * stream may have changed. A connection that delivers nothing is noticed because a query is sent in intervals.
 */
type Wakes = {
  readonly send: (streams: readonly StreamName[], drive: readonly string[]) => void;
  readonly onWake: (callback: WakeCallback) => void;
  /** Sends a text to the other processes, at most once. */
  readonly sendNotice: (text: string) => void;
  readonly onNotice: (callback: (text: string) => void) => void;
  readonly close: () => Promise<void>;
};

/** Separate, because earlier versions take an unknown payload of the other channel for a lost notification. */
const NOTICES = "stonechat_notices";
const CHANNEL = "stonechat";
/** PostgreSQL limits payloads to less than 8000 bytes. */
const PAYLOAD_BYTES = 7_500;
const LONGEST_PAUSE_MS = 5_000;

type Options = { readonly url: string; readonly nodeId: string; readonly silentMs: number };

export async function createWakes({ url, nodeId, silentMs }: Options): Promise<Wakes> {
  const callbacks: WakeCallback[] = [];
  const noticed: ((text: string) => void)[] = [];
  const closing = new AbortController();
  let client: WatchedClient | undefined;
  let waiting = { streams: new Set<StreamName>(), any: false, drive: new Set<string>() };
  let sending: Promise<void> | undefined;

  const connect = async (): Promise<void> => {
    const opened = new WatchedClient({ ...toConfig(url, "listen"), pipeline: true, query_timeout: 2 * silentMs });
    opened.on("error", () => {});
    opened.on("notification", ({ channel, payload = "" }) =>
      channel === NOTICES ? receiveNotice(payload) : receive(payload),
    );
    try {
      await opened.connect();
      await opened.query(`listen ${CHANNEL}`);
      await opened.query(`listen ${NOTICES}`);
    } catch (error) {
      void opened.end().catch(() => {});
      throw toPostgresError(error);
    }
    client = opened;
    opened.once("end", () => {
      client = undefined;
      if (!closing.signal.aborted) void reconnect();
    });
  };

  const reconnect = async (): Promise<void> => {
    for (let pauseMs = 50; !closing.signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await sleep(pauseMs, closing.signal);
      if (closing.signal.aborted) return;
      const failed = await connect().then(
        () => false,
        () => true,
      );
      if (failed) continue;
      for (const callback of callbacks) callback(null, []);
      waiting.any = true;
      sendWaiting();
      return;
    }
  };

  const receive = (payload: string): void => {
    const wake = parseWake(payload);
    if (wake?.from === nodeId) return;
    for (const callback of callbacks) callback(wake?.streams ?? null, wake?.drive ?? []);
  };

  /** The sender's id comes before the first space. */
  const receiveNotice = (payload: string): void => {
    const at = payload.indexOf(" ");
    if (at === -1 || payload.slice(0, at) === nodeId) return;
    for (const callback of noticed) callback(payload.slice(at + 1));
  };

  const sendWaiting = (): void => {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
  };

  const sendAll = async (): Promise<void> => {
    while (client && (waiting.any || waiting.streams.size > 0 || waiting.drive.size > 0)) {
      const { streams, any, drive } = waiting;
      waiting = { streams: new Set(), any: false, drive: new Set() };
      try {
        for (const payload of toPayloads({ from: nodeId, streams: any ? null : [...streams], drive: [...drive] })) {
          await client.query("select pg_notify($1, $2)", [CHANNEL, payload]);
        }
      } catch {
        waiting = { streams: new Set(), any: true, drive: new Set([...drive, ...waiting.drive]) };
        return;
      }
    }
  };

  await connect();
  const checking = setInterval(() => void client?.query("select 1").catch(() => {}), silentMs).unref();
  return {
    send: (streams, drive) => {
      for (const stream of streams) waiting.streams.add(stream);
      for (const thread of drive) waiting.drive.add(thread);
      sendWaiting();
    },
    onWake: (callback) => void callbacks.push(callback),
    sendNotice: (text) => {
      const payload = `${nodeId} ${text}`;
      if (Buffer.byteLength(payload) > PAYLOAD_BYTES) return;
      void client?.query("select pg_notify($1, $2)", [NOTICES, payload]).catch(() => {});
    },
    onNotice: (callback) => void noticed.push(callback),
    close: async () => {
      clearInterval(checking);
      await sending;
      closing.abort();
      await client?.end().catch(() => {});
    },
  };
}

/** Any client of the database can notify, so an unknown payload only means that something may have changed. */
function parseWake(payload: string): Wake | undefined {
  try {
    const { from, streams, drive } = JSON.parse(payload) as Partial<Record<keyof Wake, unknown>>;
    const isList = (value: unknown): value is never[] =>
      Array.isArray(value) && value.every((one) => typeof one === "string");
    if (typeof from !== "string" || !isList(drive) || !(streams === null || isList(streams))) return undefined;
    return { from, streams, drive };
  } catch {
    return undefined;
  }
}

/** If the stream names do not fit they are sent as null. Threads to drive are all listed, in several payloads if needed. */
export function toPayloads({ from, streams, drive }: Wake): readonly string[] {
  const payloads: string[] = [];
  const fits = (wake: Wake) => Buffer.byteLength(JSON.stringify(wake)) <= PAYLOAD_BYTES;
  let rest: string[] = [];
  let touched = streams !== null && fits({ from, streams, drive: [] }) ? streams : null;
  for (const thread of drive) {
    if (!fits({ from, streams: touched, drive: [...rest, thread] })) {
      payloads.push(JSON.stringify({ from, streams: touched, drive: rest }));
      rest = [];
      touched = [];
    }
    rest.push(thread);
  }
  payloads.push(JSON.stringify({ from, streams: touched, drive: rest }));
  return payloads;
}
