import { createHash } from "node:crypto";
import type { PushMessage } from "../../protocol/settings/push.ts";
import { NetError } from "../net/fetch.ts";
import type { OpenStream } from "../net/open-stream.ts";
import { encryptMessage, type PushKeys } from "./encrypt.ts";
import type { Vapid } from "./vapid.ts";

export type PushTarget = { readonly endpoint: string; readonly keys: PushKeys };

export type Delivery =
  | { readonly state: "accepted" }
  /** The browser has unsubscribed, or was removed. */
  | { readonly state: "gone" }
  /** `retries`: it may work later. */
  | { readonly state: "refused"; readonly problem: string; readonly retries: boolean };

/** How long a push service keeps a notification for a device that is off. */
const KEPT_SECONDS = 24 * 3600;
const TIMEOUT_MS = 10_000;

/** Sends one notification to the push service of a browser. The service sees its size and time, not its content. */
export async function sendPush(
  { stream, vapid }: { readonly stream: OpenStream; readonly vapid: Vapid },
  { endpoint, keys }: PushTarget,
  message: PushMessage,
  signal?: AbortSignal,
): Promise<Delivery> {
  const url = new URL(endpoint);
  if (url.protocol !== "https:") return { state: "gone" };
  try {
    const { status, body } = await stream(url.href, {
      method: "POST",
      headers: {
        authorization: vapid.authorize(url),
        "content-type": "application/octet-stream",
        "content-encoding": "aes128gcm",
        ttl: String(KEPT_SECONDS),
        urgency: message.kind === "waiting" ? "high" : "normal",
        topic: toTopic(message),
      },
      body: encryptMessage(JSON.stringify(message), keys),
      ...(signal ? { signal } : {}),
      ...{ lifeMs: TIMEOUT_MS, idleMs: TIMEOUT_MS },
    });
    // The response body is not needed. Breaking off closes the connection.
    for await (const _ of body) break;
    return toDelivery(status);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof NetError)) throw error;
    return { state: "refused", problem: error.message, retries: error.code !== "blocked" };
  }
}

/** A later notification about the same thread replaces one that is not delivered yet. */
const toTopic = (message: PushMessage): string =>
  createHash("sha256")
    .update(message.kind === "test" ? "" : message.threadId)
    .digest("base64url")
    .slice(0, 32);

function toDelivery(status: number): Delivery {
  if (status >= 200 && status < 300) return { state: "accepted" };
  if (status === 404 || status === 410) return { state: "gone" };
  const retries = status === 429 || status >= 500;
  return { state: "refused", problem: `The push service responded with status ${status}.`, retries };
}
