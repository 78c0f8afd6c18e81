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
  readonly place: SignInKey;
  readonly stream: OpenStream;
  readonly signIns: SignIns;
  readonly clock: Clock;
  readonly timeoutMs: number;
};

/** An answer that is on its way through the package when its stream ends gets this long. */
const LATE_MS = 500;
const GOODBYE_MS = 1000;
const reconnectionOptions = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
};

export async function openHttp(options: Options, signal: AbortSignal): Promise<OpenedConnection> {
  const { place, stream, signIns, clock, timeoutMs } = options;
  const provider = await signIns.findProvider(place);
  const opened: { link?: Link } = {};
  const onStreamEnd = (id: number): void => void setTimeout(() => opened.link?.giveUp(id), LATE_MS).unref();
  const fetch = createWebFetch({ settings: place.settings, stream, clock, onStreamEnd });
  const transport = new StreamableHTTPClientTransport(new URL(place.settings.url), {
    fetch,
    reconnectionOptions,
    ...(provider ? { authProvider: provider } : {}),
  });
  // Its own type declares a session id that may be undefined, which the interface it implements does not allow for.
  const link = await openLink(transport as Transport, signal, timeoutMs);
  opened.link = link;
  const close = async (): Promise<void> => {
    const goodbye = transport.terminateSession().catch(() => {});
    await Promise.race([goodbye, sleep(GOODBYE_MS)]);
    await link.close();
  };
  return { link: { ...link, close }, why: () => "" };
}
