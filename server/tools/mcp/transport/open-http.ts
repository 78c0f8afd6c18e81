import { InsufficientScopeError, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../../lib/clock.ts";
import { sleep } from "../../../lib/sleep.ts";
import type { OpenStream } from "../../../net/open-stream.ts";
import type { OpenedConnection } from "../connection.ts";
import { openLink, type Link } from "./link.ts";
import type { SignInKey } from "./sign-in-storage.ts";
import type { SignIns } from "./sign-in.ts";
import { createWebFetch } from "./web-fetch.ts";

type Options = {
  readonly key: SignInKey;
  readonly stream: OpenStream;
  readonly signIns: SignIns;
  readonly clock: Clock;
  readonly timeoutMs: number;
};

/** Grace period for a response that the SDK is still processing when its stream ends. */
const GRACE_MS = 500;
const TERMINATE_MS = 1000;
/** A server that does not answer in this time is not reachable. */
const PROBE_MS = 10_000;
const reconnectionOptions = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
};

export async function openHttp(options: Options, signal: AbortSignal): Promise<OpenedConnection> {
  const { key, stream, signIns, clock, timeoutMs } = options;
  const provider = await signIns.findProvider(key);
  const opened: { link?: Link } = {};
  const onStreamEnd = (id: number): void => void setTimeout(() => opened.link?.abandonCall(id), GRACE_MS).unref();
  const fetch = createWebFetch({ settings: key.settings, stream, clock, onStreamEnd });
  const transport = new StreamableHTTPClientTransport(new URL(key.settings.url), {
    fetch,
    reconnectionOptions,
    // A connection never starts a sign-in.
    onInsufficientScope: "throw",
    ...(provider ? { authProvider: provider } : {}),
  });
  // The class declares a session id that may be undefined, which its own interface does not allow.
  const link = await openLink(transport as Transport, { signal, timeoutMs, mode: "auto", probeMs: PROBE_MS });
  opened.link = link;
  const close = async (): Promise<void> => {
    const terminated = transport.terminateSession().catch(() => {});
    await Promise.race([terminated, sleep(TERMINATE_MS)]);
    await link.close();
  };
  const call: Link["call"] = (asked) =>
    link.call(asked).catch(async (error: Error) => {
      const scope = error.cause instanceof InsufficientScopeError ? error.cause.requiredScope : undefined;
      if (scope !== undefined) await signIns.requestScope(key, scope);
      throw error;
    });
  return { link: { ...link, call, close }, why: () => "" };
}
