import type { Response } from "../../../protocol/api.ts";
import type { ProjectEvent } from "../../../protocol/events.ts";
import { toFailed, type UnloadedState } from "../../lib/use-load.ts";
import { ResponseError, fillPath, type Client } from "../../../protocol/client.ts";
import { streams } from "../../../protocol/routes.ts";
import type { Follow, Follower, LinkState, StreamEvent } from "../../api/follow.ts";
import { createBatch, type Schedule } from "../batch.ts";
import { createSignal, type Signal } from "../../lib/signal.ts";

/**
 * One project: its fields and counts, and a signal with the changed ids. Views load their own lists and records and reload
 * them when the signal names them. Read-only.
 */
export type ProjectState =
  | UnloadedState
  | { readonly phase: "gone" }
  | ({ readonly phase: "ready" } & Response<"getProject">);

/** Changed ids and kinds; null ids: anything may have changed. */
export type Changes = { readonly ids: ReadonlySet<string> | null; readonly whats: ReadonlySet<string> };

export type ProjectFeed = {
  readonly projectId: string;
  readonly state: Signal<ProjectState>;
  readonly link: Signal<LinkState>;
  readonly touched: Signal<Changes>;
  /** Incremented when the members have changed. */
  readonly members: Signal<number>;
  /** The same for the project's shared threads. */
  readonly threads: Signal<number>;
  /** Follows the project's stream until the returned function is called. */
  open(): () => void;
  reload(): void;
};

export type ProjectFeedOptions = {
  readonly projectId: string;
  readonly client: Pick<Client, "getProject">;
  readonly follow: Follow;
  readonly onSignedOut: () => void;
  readonly schedule?: Schedule;
};

export const anything: Changes = { ids: null, whats: new Set(["project", "entity", "edge", "file"]) };
const retryMs = 3000;
/** The most ids an event can carry; with this many, others may be missing. */
const mostTouched = 500;

export function createProjectFeed(options: ProjectFeedOptions): ProjectFeed {
  const { projectId, client, follow, onSignedOut, schedule } = options;
  const signals = createSignals();
  const { state, link, touched, members, threads } = signals;
  const batch = createBatch<StreamEvent<ProjectEvent>>((events) => applyAll(events), schedule);
  let follower: Follower | null = null;
  let wanted = 0;
  let after = 0;
  let requests = 0;
  let again: ReturnType<typeof setTimeout> | undefined;

  const applyAll = (events: readonly StreamEvent<ProjectEvent>[]) => {
    const acts = events.flatMap(({ event }) => (event.type === "project-acted" ? [event] : []));
    if (events.some(({ event }) => event.type.startsWith("thread-"))) threads.set(threads.get() + 1);
    const isOther = events.some(({ event }) => event.type === "members-changed");
    if (isOther) members.set(members.get() + 1);
    // The user's role may have changed.
    if (isOther && acts.length === 0) void load();
    if (acts.length === 0) return;
    touched.set(toTouched(acts.map((act) => act.touched)));
    void load();
  };

  const load = async () => {
    const mine = ++requests;
    try {
      const answer = await client.getProject({ params: { projectId } });
      if (mine !== requests) return;
      state.set({ phase: "ready", ...answer });
      if (wanted > 0 && !follower) startFollowing(answer.project.seq);
    } catch (error) {
      if (mine === requests) fail(error);
    }
  };

  const fail = (error: unknown) => {
    if (error instanceof ResponseError && error.status === 404) return end();
    if (error instanceof ResponseError && error.status === 401) return onSignedOut();
    if (state.get().phase === "ready") {
      clearTimeout(again);
      again = setTimeout(() => void load(), retryMs);
      return;
    }
    state.set(toFailed(error));
  };

  const end = () => {
    stopFollowing();
    state.set({ phase: "gone" });
  };

  const stopFollowing = () => {
    follower?.close();
    follower = null;
    batch.clear();
  };

  const startFollowing = (seq: number) => {
    after = Math.max(after, seq);
    follower = follow<ProjectEvent>({
      toUrl: () => {
        batch.flush();
        return `${fillPath(streams.project, { projectId })}?after=${after}`;
      },
      onEvent: (event) => {
        after = Math.max(after, event.seq);
        batch.add(event);
      },
      onLink: (next) => {
        link.set(next);
        if (next === "gone") end();
        if (next === "signed-out") onSignedOut();
      },
    });
  };

  return {
    projectId,
    ...signals,
    open: () => {
      wanted += 1;
      // Changes during the interruption are unknown.
      if (wanted === 1 && after > 0) touched.set({ ...anything });
      if (wanted === 1) void load();
      const forget = watchPresence(() => follower);
      return () => {
        forget();
        wanted -= 1;
        if (wanted === 0) stopFollowing();
      };
    },
    reload: () => void load(),
  };
}

const createSignals = () => ({
  state: createSignal<ProjectState>({ phase: "loading" }),
  link: createSignal<LinkState>("connecting"),
  touched: createSignal<Changes>({ ids: new Set(), whats: new Set() }),
  members: createSignal(0),
  threads: createSignal(0),
});

function toTouched(lists: readonly (readonly { readonly what: string; readonly id: string }[])[]): Changes {
  if (lists.some((list) => list.length === 0 || list.length >= mostTouched)) return { ...anything };
  const all = lists.flat();
  return {
    // A link's id is `source relation target`.
    ids: new Set(all.flatMap(({ what, id }) => (what === "edge" ? [id, ...id.split(" ")] : [id]))),
    whats: new Set(all.map(({ what }) => what)),
  };
}

const hiddenMs = 10_000;

/** A hidden tab closes its connection. */
function watchPresence(get: () => Follower | null): () => void {
  if (typeof document === "undefined") return () => undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(() => get()?.pause(), hiddenMs);
    else get()?.wake();
  };
  document.addEventListener("visibilitychange", look);
  addEventListener("online", look);
  return () => {
    clearTimeout(hiding);
    document.removeEventListener("visibilitychange", look);
    removeEventListener("online", look);
  };
}
