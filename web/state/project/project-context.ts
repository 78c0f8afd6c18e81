import { createContext, useContext, useEffect, useEffectEvent, useRef } from "react";
import { ResponseError } from "../../../protocol/client.ts";
import { follow } from "../../api/follow.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useSignal } from "../../lib/signal.ts";
import type { Page } from "../page.ts";
import { createProjectFeed, type ProjectFeed, type Changes } from "./project-feed.ts";
import { createUploads, type Uploads } from "./uploads.ts";
import { createWriter, type Writer } from "./writer.ts";

/** An open project: its feed, and the ways to write to it. */
export type OpenProject = {
  readonly projectId: string;
  readonly feed: ProjectFeed;
  readonly writer: Writer;
  readonly uploads: Uploads;
};

const opened = new WeakMap<Page, Map<string, OpenProject>>();

/** One per project and page, so that all writes share one queue. */
export function getOpenProject(page: Page, projectId: string): OpenProject {
  const mine = opened.get(page) ?? new Map<string, OpenProject>();
  opened.set(page, mine);
  const project = mine.get(projectId) ?? create(page, projectId);
  mine.set(projectId, project);
  return project;
}

function create({ client, storage, session, errorMessage, projects }: Page, projectId: string): OpenProject {
  const onSignedOut = session.signOut;
  const feed = createProjectFeed({ projectId, client, follow, onSignedOut });
  const writer = createWriter({
    projectId,
    client,
    storage,
    say: errorMessage.set,
    onSignedOut,
    onProject: (project) => {
      projects.merge(project);
      feed.reload();
    },
  });
  addEventListener("online", () => writer.retry());
  feed.link.subscribe(() => {
    if (feed.link.get() === "live") writer.retry();
  });
  return { projectId, feed, writer, uploads: createUploads(projectId) };
}

export const ProjectContext = createContext<OpenProject | null>(null);

export function useProject(): OpenProject {
  const project = useContext(ProjectContext);
  if (!project) throw new Error("useProject outside of a project");
  return project;
}

/** Calls back when the project has changed. */
export function useProjectChanges(feed: ProjectFeed, onTouched: (touched: Changes) => void): void {
  const call = useEffectEvent(onTouched);
  useEffect(() => feed.touched.subscribe(() => call(feed.touched.get())), [feed]);
}

type LoadOptions = {
  /** Reload when one of these ids has changed; default: on any change. */
  readonly of?: readonly string[];
};

/** Loads data of the project, and reloads it after changes. A lost connection keeps the current value. */
export function useProjectLoad<T>(key: string, ask: (signal: AbortSignal) => Promise<T>, { of }: LoadOptions = {}) {
  const { feed } = useProject();
  const last = useRef<{ readonly key: string; readonly value: T } | null>(null);
  const loaded = useLoad(key, async (signal) => {
    try {
      const value = await ask(signal);
      last.current = { key, value };
      return value;
    } catch (error) {
      if (!(error instanceof ResponseError) && last.current?.key === key) return last.current.value;
      throw error;
    }
  });
  useProjectChanges(feed, ({ ids }) => {
    if (!of || ids === null || of.some((id) => ids.has(id))) loaded.reload();
  });
  const link = useSignal(feed.link);
  const wasAway = useRef(false);
  useEffect(() => {
    if (link === "waiting") wasAway.current = true;
    if (link !== "live" || !wasAway.current) return;
    wasAway.current = false;
    loaded.reload();
  }, [link, loaded]);
  return loaded;
}

/** The project's own fields and counts, once loaded. */
export function useProjectFields() {
  const state = useSignal(useProject().feed.state);
  return state.phase === "ready" ? state : null;
}
