import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
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
    ...(provider ? { authProvider: provider } : {}),
  });
  // The class declares a session id that may be undefined, which its own interface does not allow.
  const link = await openLink(transport as Transport, signal, timeoutMs);
  opened.link = link;
  const close = async (): Promise<void> => {
    const terminated = transport.terminateSession().catch(() => {});
    await Promise.race([terminated, sleep(TERMINATE_MS)]);
    await link.close();
  };
  return { link: { ...link, close }, why: () => "" };
}
