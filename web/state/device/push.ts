import type { PushSubscriptionView } from "../../../protocol/settings/push.ts";
import { getLanguage, isRightToLeft } from "../../strings/language.ts";
import { notify as strings } from "../../strings/notify.ts";
import type { Page } from "../page.ts";
import { findWorkers } from "./worker.ts";

/** Why this browser cannot get notifications, or that it can. */
export type PushSupport = "ready" | "insecure" | "needs-install" | "unsupported" | "blocked";

type Deps = Pick<Page, "client" | "storage">;

/** In browser storage while this browser gets notifications: the id of its subscription, and whether they contain titles. */
const key = "push";
const textCache = "texts";

export function findPushSupport(): PushSupport {
  if (!isSecureContext) return "insecure";
  if (!findWorkers() || !("PushManager" in globalThis) || !("Notification" in globalThis))
    return isApplePhone() && !isInstalled() ? "needs-install" : "unsupported";
  return Notification.permission === "denied" ? "blocked" : "ready";
}

/** Safari on iPhone and iPad has notifications only for pages on the home screen. */
const isApplePhone = (): boolean =>
  /\b(?:iPhone|iPad)\b/.test(navigator.userAgent) ||
  (/\bMacintosh\b/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
const isInstalled = (): boolean => matchMedia("(display-mode: standalone)").matches;

/** The id of this browser's subscription on the server; null without one. */
export async function findOwnId(): Promise<string | null> {
  const registration = await findWorkers()?.getRegistration();
  const subscription = await registration?.pushManager?.getSubscription();
  return subscription ? toId(subscription.endpoint) : null;
}

/** Call it from a click: the browser asks for the permission. Resolves to null if the user refused. */
export async function turnOnPush(
  { client, storage }: Deps,
  publicKey: string,
  titles: boolean,
): Promise<PushSubscriptionView | null> {
  if ((await Notification.requestPermission()) !== "granted") return null;
  const registration = await findWorkers()?.ready;
  if (!registration) return null;
  const before = await registration.pushManager.getSubscription();
  if (before && !hasKey(before, publicKey)) await before.unsubscribe();
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  const view = await store({ client, storage }, subscription, titles);
  await storeTexts();
  return view;
}

/** The server has removed the subscription already. */
export async function forgetPush({ storage }: Pick<Deps, "storage">): Promise<void> {
  storage.set(key, null);
  const registration = await findWorkers()?.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

/** Call it at the start of the page: browsers replace subscriptions now and then. */
export async function keepPush({ client, storage }: Deps): Promise<void> {
  const [id, titles] = storage.get(key)?.split(" ") ?? [];
  if (id === undefined || findPushSupport() !== "ready" || Notification.permission !== "granted") return;
  const registration = await findWorkers()?.getRegistration();
  const subscription = await registration?.pushManager?.getSubscription();
  if (subscription && (await toId(subscription.endpoint)) !== id)
    await store({ client, storage }, subscription, titles === "titles");
  await storeTexts();
}

async function store(
  { client, storage }: Deps,
  subscription: PushSubscription,
  titles: boolean,
): Promise<PushSubscriptionView> {
  const { endpoint, keys = {} } = subscription.toJSON();
  const body = {
    ...{ endpoint: endpoint ?? "", titles, agent: navigator.userAgent.slice(0, 200) },
    ...{ p256dh: keys["p256dh"] ?? "", auth: keys["auth"] ?? "" },
  };
  const { subscription: view } = await client.subscribePush({ params: {}, body });
  storage.set(key, `${view.id} ${titles ? "titles" : ""}`);
  return view;
}

/** For the service worker, which has no catalog: texts of notifications in the language of the page. */
async function storeTexts(): Promise<void> {
  const language = getLanguage();
  const texts = { ...strings.messages, language, dir: isRightToLeft(language) ? "rtl" : "ltr" };
  const cache = await caches.open(textCache);
  await cache.put("/texts", Response.json(texts));
}

async function toId(endpoint: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint));
  return toBase64Url(new Uint8Array(hash));
}

const hasKey = ({ options }: PushSubscription, publicKey: string): boolean =>
  options.applicationServerKey !== null && toBase64Url(new Uint8Array(options.applicationServerKey)) === publicKey;

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
