import type { Page } from "../page.ts";

const checkMs = 3_600_000;
/** Its installation loads all files of the page, which must not delay the first screen. */
const settledMs = 2_000;

/**
 * Registers the service worker, which only exists in a built page and on https or this machine. `onUpdate`: a newer version of the
 * page has taken over; this one keeps working with the files that it has.
 */
export function startWorker({ go }: Pick<Page, "go">, onUpdate: () => void): void {
  const workers = findWorkers();
  if (import.meta.env.DEV || !workers) return;
  let isUpdate = workers.controller !== null;
  let checkedAt = Date.now();
  workers.addEventListener("controllerchange", () => {
    if (isUpdate) onUpdate();
    else cacheLoaded();
    isUpdate = true;
  });
  workers.addEventListener(
    "message",
    ({ data }: MessageEvent<{ readonly type?: string; readonly path?: string } | null>) => {
      if (data?.type === "open" && data.path !== undefined) go(data.path);
    },
  );
  // Without it the page works as well; the next start tries again.
  const registering = new Promise((resolve) => setTimeout(resolve, settledMs)).then(() =>
    workers.register("/service-worker.js").catch(() => null),
  );
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || Date.now() - checkedAt < checkMs) return;
    checkedAt = Date.now();
    void registering.then((registration) => registration?.update()).catch(() => null);
  });
}

/** undefined on plain http, where browsers have no service workers. */
export const findWorkers = (): ServiceWorkerContainer | undefined =>
  (navigator as { readonly serviceWorker?: ServiceWorkerContainer }).serviceWorker;

/** Files that the first page loaded before there was a service worker, such as its language. Loading them again caches them. */
function cacheLoaded(): void {
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  for (const url of new Set(loaded))
    if (url.startsWith(`${location.origin}/assets/`)) void fetch(url).catch(() => null);
}
