import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Link } from "./transport/link.ts";
import { isFailure, toSentence } from "./transport/server-failure.ts";

/** `why`: why the link ended, if the transport knows. */
export type OpenedConnection = { readonly link: Link; readonly why: () => string };

export type ConnectionLimits = {
  readonly connectMs: number;
  readonly minRetryMs: number;
  readonly maxRetryMs: number;
  /** How often unused connections are looked for. */
  readonly sweepMs: number;
};

export type ConnectorOptions = {
  readonly name: string;
  readonly open: (signal: AbortSignal) => Promise<OpenedConnection>;
  readonly clock: Clock;
  readonly onNote: (note: string) => void;
  readonly limits?: Partial<ConnectionLimits>;
};

type Hooks = { readonly onConnect: (link: Link) => void };

export type State =
  | { readonly at: "idle" }
  | {
      readonly at: "connecting";
      readonly work: Promise<OpenedConnection>;
      readonly since: number;
      readonly stop: AbortController;
    }
  | { readonly at: "ready"; readonly opened: OpenedConnection; listedAt: number }
  | { readonly at: "resting"; readonly until: number; readonly why: string }
  | { readonly at: "signed-out"; readonly why: string }
  | { readonly at: "closed" };

/** The connection's state machine: connects on demand, and after a failure waits for a growing time before the next attempt. */
type Connector = {
  readonly state: () => State;
  readonly connect: () => Promise<OpenedConnection>;
  /** The open link, or a new one. Waits for a short retry delay to pass and throws during a longer one. */
  readonly getLink: (signal: AbortSignal) => Promise<OpenedConnection>;
  readonly isCurrent: (link: Link) => boolean;
  /** The server failed; the next attempt is delayed. */
  readonly fail: (why: string) => void;
  readonly succeed: () => void;
  /** Closes a link; the next use opens a new one. */
  readonly drop: (link: Link) => Promise<void>;
  readonly signOut: (why: string) => void;
  readonly end: (next: { readonly at: "idle" } | { readonly at: "closed" }) => Promise<void>;
};

const defaultLimits: Omit<ConnectionLimits, "sweepMs"> = { connectMs: 15_000, minRetryMs: 500, maxRetryMs: 60_000 };
/** How long a call waits for a retry delay to pass. */
const MAX_WAIT_MS = 3000;
const CLOSED = "The server was removed or disconnected.";

export function createConnector(options: ConnectorOptions & Hooks): Connector {
  const { name, open, clock, onNote, onConnect, limits: overrides } = options;
  const limits = { ...defaultLimits, ...overrides };
  let state: State = { at: "idle" };
  let failures = 0;

  const fail = (why: string): void => {
    failures += 1;
    const delayMs = Math.min(limits.maxRetryMs, limits.minRetryMs * 2 ** (failures - 1));
    state = { at: "resting", until: clock.monotonic() + delayMs, why };
    onNote(`The MCP server ${name} is not available: ${why} It is retried on the next use, after ${delayMs} ms.`);
  };

  const isCurrent = (link: Link): boolean => state.at === "ready" && state.opened.link === link;

  const finishConnect = async (stop: AbortController): Promise<OpenedConnection> => {
    const isLatest = (): boolean => state.at === "connecting" && state.stop === stop;
    try {
      const opened = await open(AbortSignal.any([stop.signal, AbortSignal.timeout(limits.connectMs)]));
      const { link } = opened;
      if (!isLatest()) {
        await link.close();
        throw new Error(CLOSED);
      }
      state = { at: "ready", opened, listedAt: clock.monotonic() };
      onConnect(link);
      void link.ended.then(() => isCurrent(link) && fail(endReason(opened)));
      return opened;
    } catch (error) {
      if (isLatest()) {
        if (isFailure(error, "signed-out")) state = { at: "signed-out", why: toSentence(error) };
        else fail(toSentence(error));
      }
      throw error;
    }
  };

  const connect = (): Promise<OpenedConnection> => {
    const stop = new AbortController();
    const work = finishConnect(stop);
    state = { at: "connecting", work, since: clock.monotonic(), stop };
    work.catch(() => {});
    return work;
  };

  return {
    state: () => state,
    connect,
    getLink: async (signal) => {
      if (state.at === "resting") {
        const waitMs = state.until - clock.monotonic();
        if (waitMs > MAX_WAIT_MS) throw new Error(`${state.why} Try again in ${Math.ceil(waitMs / 1000)} s.`);
        if (waitMs > 0) await sleep(waitMs, signal);
        signal.throwIfAborted();
      }
      if (state.at === "ready") return state.opened;
      if (state.at === "signed-out") throw new Error(state.why);
      if (state.at === "closed") throw new Error(CLOSED);
      return untilAborted(state.at === "connecting" ? state.work : connect(), signal);
    },
    isCurrent,
    fail,
    succeed: () => void (failures = 0),
    drop: async (link) => {
      if (isCurrent(link)) state = { at: "idle" };
      await link.close().catch(() => {});
    },
    signOut: (why) => {
      if (state.at === "idle") state = { at: "signed-out", why };
    },
    end: async (next) => {
      const last = state;
      state = next;
      if (last.at === "connecting") {
        last.stop.abort(new Error(CLOSED));
        await last.work.catch(() => {});
      }
      if (last.at === "ready") await last.opened.link.close().catch(() => {});
    },
  };
}

export const endReason = ({ link, why }: OpenedConnection): string => link.fault() || why() || "The connection ended.";

const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error("stopped"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
