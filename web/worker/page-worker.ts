import type { PushMessage } from "../../protocol/settings/push.ts";

/**
 * The service worker. It caches the files of the page, never a response of the API, so that the page starts without a network. It
 * receives what other apps share, and notifications. It imports no code, because it is one file that browsers compare. Decision 39.
 */
declare const __SHELL__: {
  /** Changes with every file of the page. */
  readonly version: string;
  /** In `index.html` of this version, and in no other. */
  readonly entry: string;
  /** Names contain a hash of the content. */
  readonly assets: readonly string[];
  readonly files: readonly string[];
};

const shell = __SHELL__;
const worker = self as unknown as ServiceWorkerGlobalScope;
const prefix = "page ";
const cacheName = prefix + shell.version;
/** Shared with the page; see state/device/. */
const sharedCache = "shared";
const textCache = "texts";
const index = "/index.html";
/** Views of the app. Links that sign in, shared threads, files and the API always come from the server. */
const view = /^\/(t\/[\w-]+|p\/[\w-]+(\/[a-z]+)?|settings(\/[a-z]+)?|search)?$/;
/** A network that does not answer for so long counts as none. */
const patienceMs = 5000;
/** An open page of the previous version may still load files of it. */
const keptVersions = 2;

worker.addEventListener("install", (event) => {
  event.waitUntil(install());
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(activate());
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== worker.location.origin) return;
  if (request.method === "POST" && pathname === "/share-target") event.respondWith(receiveShared(request));
  if (request.method !== "GET") return;
  if (request.mode === "navigate") {
    if (view.test(pathname)) event.respondWith(openPage(event));
  } else if (pathname.startsWith("/assets/")) event.respondWith(findAsset(event));
  else if (shell.files.includes(pathname)) event.respondWith(findFile(request));
});

worker.addEventListener("push", (event) => {
  event.waitUntil(notify((event.data?.json() ?? null) as PushMessage | null));
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { threadId } = event.notification.data as { readonly threadId: string | null };
  event.waitUntil(openThread(threadId === null ? "/" : `/t/${threadId}`));
});

/** Fails as a whole, also if the server already has a newer version: then a later attempt installs that one. */
async function install(): Promise<void> {
  const cache = await caches.open(cacheName);
  const page = await fetch("/", { cache: "no-store" });
  if (!page.ok || !(await page.clone().text()).includes(shell.entry)) {
    await caches.delete(cacheName);
    throw new Error("The page has another version.");
  }
  await cache.put(index, page);
  const files = shell.files.map((file) => new Request(file, { cache: "no-cache" }));
  await cache.addAll([...files, ...shell.assets]);
  await worker.skipWaiting();
}

async function activate(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== cacheName);
  for (const name of names.slice(0, Math.max(0, names.length - keptVersions + 1))) await caches.delete(name);
  await worker.registration.navigationPreload?.enable();
  await worker.clients.claim();
}

/** From the server, so that a new version is shown at once. Without it, the version of this worker: its files are all cached. */
async function openPage(event: FetchEvent): Promise<Response> {
  const load = async (): Promise<Response> =>
    ((await event.preloadResponse) as Response | undefined) ?? fetch(event.request);
  const loading = load().catch(() => null);
  event.waitUntil(loading);
  const response = await Promise.race([loading, wait(patienceMs)]);
  if (response && response.status < 500) return response;
  return (await caches.match(index, { cacheName })) ?? (await loading) ?? Response.error();
}

const wait = (ms: number): Promise<null> => new Promise((resolve) => setTimeout(() => resolve(null), ms));

/** An asset never changes, so any version of the page may have cached it. */
async function findAsset(event: FetchEvent): Promise<Response> {
  const cached = await caches.match(event.request, { ignoreVary: true });
  if (cached) return cached;
  const response = await fetch(event.request);
  const copy = response.clone();
  if (response.ok) event.waitUntil(caches.open(cacheName).then((cache) => cache.put(event.request, copy)));
  return response;
}

const findFile = (request: Request): Promise<Response> =>
  fetch(request).catch(async () => (await caches.match(request, { cacheName, ignoreVary: true })) ?? Response.error());

/**
 * Stores what another app shares; the page asks the user before anything is added to a draft, because any website can send this
 * request. Only the newest is stored.
 */
async function receiveShared(request: Request): Promise<Response> {
  const form = await request.formData();
  const [title, text, url] = ["title", "text", "url"].map((name) => form.get(name)).map(toText);
  const files = form.getAll("files").filter((one) => one instanceof File);
  await caches.delete(sharedCache);
  const cache = await caches.open(sharedCache);
  const id = crypto.randomUUID();
  for (const [n, file] of files.slice(0, 20).entries())
    await cache.put(`/shared/${n}`, new Response(file, { headers: { "x-name": encodeURIComponent(file.name) } }));
  await cache.put("/shared", Response.json({ id, title, text, url, files: Math.min(files.length, 20) }));
  return Response.redirect(`/?shared=${id}`, 303);
}

const toText = (value: FormDataEntryValue | null | undefined): string =>
  typeof value === "string" ? value.slice(0, 100_000) : "";

type Texts = Readonly<Partial<Record<PushMessage["kind"], { readonly title: string; readonly body: string }>>> & {
  readonly language?: string;
  readonly dir?: "ltr" | "rtl";
};

/** Without a notification if the user is looking at the thread. */
async function notify(message: PushMessage | null): Promise<void> {
  if (message?.v !== 1) return;
  const threadId = message.kind === "test" ? null : message.threadId;
  if (threadId !== null && (await isLookedAt(`/t/${threadId}`))) return;
  const stored = await caches.match("/texts", { cacheName: textCache });
  const texts = ((await stored?.json()) ?? {}) as Texts;
  const { title, body } = texts[message.kind] ?? { title: worker.location.host, body: "" };
  await worker.registration.showNotification(title, {
    body: ("title" in message && message.title) || body,
    tag: threadId ?? "test",
    icon: "/icon-192.png",
    badge: "/badge-96.png",
    data: { threadId },
    lang: texts.language ?? "en",
    dir: texts.dir ?? "ltr",
  });
}

async function isLookedAt(path: string): Promise<boolean> {
  const windows = await worker.clients.matchAll({ type: "window" });
  return windows.some(({ url, visibilityState, focused }) => {
    return focused && visibilityState === "visible" && new URL(url).pathname === path;
  });
}

async function openThread(path: string): Promise<void> {
  const [open] = await worker.clients.matchAll({ type: "window" });
  if (!open) return void (await worker.clients.openWindow(path));
  open.postMessage({ type: "open", path });
  await open.focus();
}
