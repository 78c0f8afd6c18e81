import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Call, Link, ToolList } from "./transport/link.ts";
import { isFailure, toSentence } from "./transport/server-failure.ts";

/**
 * A server as long as anybody wants it: connected when first needed, connected again after it failed, with growing rests. Every
 * failure is an error of the call that met it; nothing here throws outside a call, and nothing waits longer than it was told.
 */
export type Connection = {
  readonly state: () => ConnectionState;
  /** As last told, also while the server is away; undefined before the first time. */
  readonly list: () => ToolList | undefined;
  /** Sees to it that the list is there or on its way; waits for the first one, for a moment. */
  readonly want: () => Promise<void>;
  /** `check` is given the list of the very link that the call goes to, and may refuse. */
  readonly call: (call: CheckedCall) => Promise<unknown>;
  readonly lastUsedAt: () => number;
  /** The next use starts afresh: another sign-in. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type ConnectionState = {
  readonly at: "idle" | "connecting" | "ready" | "resting" | "signed-out" | "closed";
  readonly why?: string;
};

export type CheckedCall = Call & { readonly check: (list: ToolList) => Promise<void> };

/** `why` tells, once the link is over, what ended it, if the transport knows. */
export type OpenedConnection = { readonly link: Link; readonly why: () => string };

type Options = {
  readonly name: string;
  readonly open: (signal: AbortSignal) => Promise<OpenedConnection>;
  readonly clock: Clock;
  readonly onNote: (note: string) => void;
  readonly limits?: Partial<ConnectionLimits>;
};

export type ConnectionLimits = {
  readonly connectMs: number;
  readonly firstRestMs: number;
  readonly longestRestMs: number;
};

const limitsByDefault: ConnectionLimits = { connectMs: 15_000, firstRestMs: 500, longestRestMs: 60_000 };
/** How long a catalog waits for a server that was never heard of. */
const PATIENCE_MS = 1500;
/** How long a call waits for a rest to end. */
const MAX_WAIT_MS = 3000;
const FRESH_MS = 5 * 60_000;

type State =
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

export function createConnection({ name, open, clock, onNote, limits: given }: Options): Connection {
  const limits = { ...limitsByDefault, ...given };
  let state: State = { at: "idle" };
  let known: ToolList | undefined;
  let failures = 0;
  let lastUsedAt = clock.monotonic();

  const rest = (why: string): void => {
    failures += 1;
    const restMs = Math.min(limits.longestRestMs, limits.firstRestMs * 2 ** (failures - 1));
    state = { at: "resting", until: clock.monotonic() + restMs, why };
    onNote(`The MCP server ${name} is not there: ${why} It is tried again when it is next needed, after ${restMs} ms.`);
  };

  const connect = (): Promise<OpenedConnection> => {
    const stop = new AbortController();
    const work = settle(stop);
    state = { at: "connecting", work, since: clock.monotonic(), stop };
    work.catch(() => {});
    return work;
  };

  const settle = async (stop: AbortController): Promise<OpenedConnection> => {
    const isCurrent = (): boolean => state.at === "connecting" && state.stop === stop;
    try {
      const opened = await open(AbortSignal.any([stop.signal, AbortSignal.timeout(limits.connectMs)]));
      const { link } = opened;
      if (!isCurrent()) {
        await link.close();
        throw new Error("The server is no longer wanted.");
      }
      state = { at: "ready", opened, listedAt: clock.monotonic() };
      known = link.list();
      void link.ended.then(() => isOn(link) && rest(whyOver(opened)));
      return opened;
    } catch (error) {
      if (isCurrent()) {
        if (isFailure(error, "signed-out")) state = { at: "signed-out", why: toSentence(error) };
        else rest(toSentence(error));
      }
      throw error;
    }
  };

  const isOn = (link: Link): boolean => state.at === "ready" && state.opened.link === link;

  const drop = async (link: Link): Promise<void> => {
    if (isOn(link)) state = { at: "idle" };
    await link.close().catch(() => {});
  };

  const getLink = async (signal: AbortSignal): Promise<OpenedConnection> => {
    if (state.at === "resting") {
      const waitMs = state.until - clock.monotonic();
      if (waitMs > MAX_WAIT_MS) throw new Error(`${state.why} It is tried again in ${Math.ceil(waitMs / 1000)} s.`);
      if (waitMs > 0) await sleep(waitMs, signal);
      signal.throwIfAborted();
    }
    if (state.at === "ready") return state.opened;
    if (state.at === "signed-out") throw new Error(state.why);
    if (state.at === "closed") throw new Error("The server is no longer wanted.");
    const work = state.at === "connecting" ? state.work : connect();
    return untilStopped(work, signal);
  };

  /** Who was told to stop and does not even answer that it is there works on, or hangs: either way it is ended. */
  const probe = async (link: Link): Promise<void> => {
    if ((await link.isAlive()) || !isOn(link)) return;
    rest("It no longer answers.");
    await link.close().catch(() => {});
  };

  const tryCall = async (call: CheckedCall, isLast: boolean): Promise<unknown> => {
    const opened = await getLink(call.signal);
    const { link } = opened;
    await call.check(link.list());
    try {
      const result = await link.call(call);
      failures = 0;
      return result;
    } catch (error) {
      const isCut = link.isOver() && !call.signal.aborted;
      if (call.signal.aborted) void probe(link);
      if (isFailure(error, "session-lost")) {
        await drop(link);
        if (!isLast) return tryCall(call, true);
      }
      if (isFailure(error, "signed-out")) {
        await drop(link);
        if (state.at === "idle") state = { at: "signed-out", why: toSentence(error) };
      }
      if (isCut) throw new Error(`${whyOver(opened)} Whether it was done is not known.`);
      throw error;
    }
  };

  const end = async (next: State): Promise<void> => {
    const last = state;
    state = next;
    if (last.at === "connecting") last.stop.abort(new Error("The server is no longer wanted."));
    if (last.at === "connecting") await last.work.catch(() => {});
    if (last.at === "ready") await last.opened.link.close().catch(() => {});
  };

  return {
    state: () => ({ at: state.at, ...("why" in state ? { why: state.why } : {}) }),
    list: () => (state.at === "ready" ? state.opened.link.list() : known),
    want: async () => {
      lastUsedAt = clock.monotonic();
      if (state.at === "idle" || (state.at === "resting" && state.until <= clock.monotonic())) void connect();
      if (state.at === "ready" && clock.monotonic() - state.listedAt > FRESH_MS) {
        state.listedAt = clock.monotonic();
        state.opened.link.refresh();
      }
      if (state.at !== "connecting" || known) return;
      const patienceMs = state.since + PATIENCE_MS - clock.monotonic();
      const settled = new AbortController();
      void state.work.catch(() => {}).finally(() => settled.abort());
      if (patienceMs > 0) await sleep(patienceMs, settled.signal);
    },
    call: (call) => {
      lastUsedAt = clock.monotonic();
      return tryCall(call, false);
    },
    lastUsedAt: () => lastUsedAt,
    reset: async () => {
      failures = 0;
      await end({ at: "idle" });
    },
    close: () => end({ at: "closed" }),
  };
}

const whyOver = ({ link, why }: OpenedConnection): string => link.fault() || why() || "The connection ended.";

const untilStopped = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error("stopped"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
