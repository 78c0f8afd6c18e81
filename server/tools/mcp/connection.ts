import { sleep } from "../../lib/sleep.ts";
import { createConnector, endReason, type ConnectorOptions, type State } from "./connector.ts";
import type { McpToolCall } from "./transport/calls.ts";
import type { Link, ToolList } from "./transport/link.ts";
import { isFailure, toSentence } from "./transport/server-failure.ts";

export type { ConnectionLimits, OpenedConnection } from "./connector.ts";

/**
 * A connection to one MCP server: opened on first use, reopened after a failure with growing delays. A failure
 * rejects only the affected call.
 */
export type Connection = {
  readonly state: () => ConnectionState;
  /** The last known list, also while the server is disconnected; undefined before the first one. */
  readonly list: () => ToolList | undefined;
  /** Connects or refreshes the list in the background. Waits briefly for the very first list. */
  readonly ensureConnected: () => Promise<void>;
  /** `check` receives the tool list of the connection that runs the call, and may throw. */
  readonly call: (call: CheckedCall) => Promise<unknown>;
  /** Returns the link for requests other than calls. Connects if needed. */
  readonly getLink: (signal: AbortSignal) => Promise<Link>;
  /** Cancels a call that waits for an answer of the user. */
  readonly cancelHeld: (held: string) => void;
  /** Not used for this long. A call counts until it ends, also while it waits for the user's answer. */
  readonly isIdle: (forMs: number) => boolean;
  /** Disconnects, so that the next use connects again. Called after the user signed in or out. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type ConnectionState = { readonly at: State["at"]; readonly why?: string };

type CheckedCall = McpToolCall & { readonly check: (list: ToolList) => Promise<void> };

/** How long a catalog waits for the first tool list of a server. */
const FIRST_LIST_MS = 1500;
const FRESH_MS = 5 * 60_000;

export function createConnection(options: ConnectorOptions): Connection {
  const { clock } = options;
  let known: ToolList | undefined;
  let lastUsedAt = clock.monotonic();
  let running = 0;
  const connector = createConnector({ ...options, onConnect: (link) => void (known = link.list()) });

  /** A server that does not answer a ping after a cancelled call is still busy or hangs. Either way it is disconnected. */
  const probe = async (link: Link): Promise<void> => {
    if ((await link.isAlive()) || !connector.isCurrent(link)) return;
    connector.fail("It no longer responds.");
    await link.close().catch(() => {});
  };

  const tryCall = async (call: CheckedCall, isLast: boolean): Promise<unknown> => {
    const opened = await connector.getLink(call.signal);
    const { link } = opened;
    await call.check(link.list());
    try {
      const result = await link.call(call);
      connector.succeed();
      return result;
    } catch (error) {
      const isCut = link.hasEnded() && !call.signal.aborted;
      if (call.signal.aborted) void probe(link);
      if (isFailure(error, "session-lost")) {
        await connector.drop(link);
        if (!isLast) return tryCall(call, true);
      }
      if (isFailure(error, "signed-out")) {
        await connector.drop(link);
        connector.signOut(toSentence(error));
      }
      if (isCut) throw new Error(`${endReason(opened)} It is not known whether the call took effect.`);
      throw error;
    }
  };

  const ensureConnected = async (): Promise<void> => {
    lastUsedAt = clock.monotonic();
    const before = connector.state();
    if (before.at === "idle" || (before.at === "resting" && before.until <= clock.monotonic()))
      void connector.connect();
    if (before.at === "ready" && clock.monotonic() - before.listedAt > FRESH_MS) {
      before.listedAt = clock.monotonic();
      before.opened.link.refresh();
    }
    const state = connector.state();
    if (state.at !== "connecting" || known) return;
    const waitMs = state.since + FIRST_LIST_MS - clock.monotonic();
    const settled = new AbortController();
    void state.work.catch(() => {}).finally(() => settled.abort());
    if (waitMs > 0) await sleep(waitMs, settled.signal);
  };

  return {
    state: () => {
      const state = connector.state();
      return { at: state.at, ...("why" in state ? { why: state.why } : {}) };
    },
    list: () => {
      const state = connector.state();
      return state.at === "ready" ? state.opened.link.list() : known;
    },
    ensureConnected,
    call: async (call) => {
      running += 1;
      try {
        return await tryCall(call, false);
      } finally {
        running -= 1;
        lastUsedAt = clock.monotonic();
      }
    },
    cancelHeld: (held) => {
      const state = connector.state();
      if (state.at === "ready") state.opened.link.cancelHeld(held);
    },
    getLink: async (signal) => {
      lastUsedAt = clock.monotonic();
      return (await connector.getLink(signal)).link;
    },
    isIdle: (forMs) => {
      const state = connector.state();
      const isBusy = running > 0 || (state.at === "ready" && state.opened.link.isBusy());
      if (isBusy) lastUsedAt = clock.monotonic();
      return clock.monotonic() - lastUsedAt >= forMs;
    },
    reset: async () => {
      connector.succeed();
      await connector.end({ at: "idle" });
    },
    close: () => connector.end({ at: "closed" }),
  };
}
