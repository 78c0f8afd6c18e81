import { createCell, type Cell } from "./cell.ts";

/** Where the page is: `/` starts a thread, `/t/ID` shows one, and a hash names a message in it. */
export type Route = { readonly threadId: string | null; readonly messageId: string | null };

export const toRoute = (path: string, hash: string): Route => {
  const threadId = /^\/t\/([\w-]{1,128})$/.exec(path)?.[1] ?? null;
  const messageId = /^#([\w-]{1,128})$/.exec(hash)?.[1] ?? null;
  return { threadId, messageId: threadId && messageId };
};

export const toPath = (threadId: string | null, messageId?: string | null): string =>
  threadId === null ? "/" : `/t/${threadId}${messageId ? `#${messageId}` : ""}`;

export type Router = {
  readonly route: Cell<Route>;
  readonly goTo: (threadId: string | null, messageId?: string) => void;
};

/** Plain links work by themselves: a click on one of ours changes the route instead of loading the page again. */
export function createRouter(): Router {
  const route = createCell(toRoute(location.pathname, location.hash));
  const read = () => route.set(toRoute(location.pathname, location.hash));
  const go = (path: string) => {
    if (path !== location.pathname + location.hash) history.pushState(null, "", path);
    read();
  };
  addEventListener("popstate", read);
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || event.defaultPrevented || event.button !== 0 || isModified(event)) return;
    if (link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
    if (link.pathname !== "/" && toRoute(link.pathname, "").threadId === null) return;
    event.preventDefault();
    go(link.pathname + link.hash);
  });
  return { route, goTo: (threadId, messageId) => go(toPath(threadId, messageId)) };
}

const isModified = (event: MouseEvent): boolean => event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
