import { readSearchRoute, searchPath, type SearchRoute } from "./search-route.ts";
import { createSignal, type Signal } from "../lib/signal.ts";

/** Project route: `/p/ID`, `/p/ID/TAB`; the hash names an entity. */
export type ProjectRoute = {
  readonly projectId: string;
  /** As in the URL; the project page validates it. */
  readonly tab: string;
  readonly entityId: string | null;
  /** Path of a file to open. */
  readonly file?: string;
};

/** Settings route: `/settings/SECTION`; the hash names an item. */
export type SettingsRoute = { readonly section: string; readonly named: string | null };

/** The current route: `/` starts a thread, `/t/ID` shows one; the hash names a message. */
export type Route = {
  readonly threadId: string | null;
  readonly messageId: string | null;
  readonly project: ProjectRoute | null;
  readonly settings: SettingsRoute | null;
  readonly search: SearchRoute | null;
};

const firstSection = "models";
const homeTab = "overview";
/** The tab for a new thread in the project. The URL's hash is the id of the item to focus on. */
export const beginTab = "new";

export const toRoute = (path: string, hash: string): Route => {
  const threadId = /^\/t\/([\w-]{1,128})$/.exec(path)?.[1] ?? null;
  const named = /^#([\w-]{1,128})$/.exec(hash)?.[1] ?? null;
  const [, projectId, tab = homeTab] = /^\/p\/([\w-]{1,128})(?:\/([a-z]{1,40}))?$/.exec(path) ?? [];
  const file = new URLSearchParams(hash.slice(1)).get("file");
  const project = projectId === undefined ? null : { projectId, tab, entityId: named, ...(file ? { file } : {}) };
  const [inSettings, section = firstSection] = /^\/settings(?:\/([a-z]{1,40}))?$/.exec(path) ?? [];
  const settings = inSettings === undefined ? null : { section, named };
  const search = path === searchPath ? readSearchRoute(hash) : null;
  return { threadId, messageId: threadId && named, project, settings, search };
};

export const toPath = (threadId: string | null, messageId?: string | null): string =>
  threadId === null ? "/" : `/t/${threadId}${messageId ? `#${messageId}` : ""}`;

export const toProjectPath = (projectId: string, tab: string = homeTab, entityId?: string | null): string =>
  `/p/${projectId}${tab === homeTab ? "" : `/${tab}`}${entityId ? `#${entityId}` : ""}`;

export const toFilePath = (projectId: string, path: string): string =>
  `${toProjectPath(projectId, "files")}#${new URLSearchParams({ file: path })}`;

export const toSettingsPath = (section: string = firstSection, named?: string | null): string =>
  `/settings/${section}${named ? `#${named}` : ""}`;

export type Router = {
  readonly route: Signal<Route>;
  readonly goTo: (threadId: string | null, messageId?: string) => void;
  /** Navigates to a path of this app. */
  readonly go: (path: string) => void;
};

/** Client-side router: clicks on links to this app change the route instead of loading the page. */
export function createRouter(): Router {
  const route = createSignal(toRoute(location.pathname, location.hash));
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
    const { threadId, project, settings, search } = toRoute(link.pathname, "");
    if (link.pathname !== "/" && !threadId && !project && !settings && !search) return;
    event.preventDefault();
    go(link.pathname + link.hash);
  });
  return { route, goTo: (threadId, messageId) => go(toPath(threadId, messageId)), go };
}

const isModified = (event: MouseEvent): boolean => event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
