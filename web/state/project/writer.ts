import type { BodyInput, Response } from "../../../protocol/api.ts";
import type { Client } from "../../../protocol/client.ts";
import type { Act, Entity, EntityLine, EntityOp } from "../../../protocol/project/project.ts";
import { toBackoffMs } from "../../api/backoff.ts";
import { createStoredQueue, toFailure } from "../../api/stored-queue.ts";
import { createId } from "../../lib/ids.ts";
import { createSignal, type Signal } from "../../lib/signal.ts";
import { createToasts, type Toasts } from "../../lib/toasts.ts";
import type { BrowserStorage } from "../../lib/storage.ts";
import { noOverlay, toLine, type Overlay } from "./overlay.ts";
import { notices as strings } from "../../strings/notices.ts";

/**
 * All writes of this page to a project, in order, one at a time. A write keeps its first id, so a retry cannot duplicate it,
 * and stays in browser storage until the server has answered. On a conflict the user is asked, unless the caller handles it
 * (`asks`).
 */
type WriteRequest =
  | { readonly do: "act"; readonly ops: readonly EntityOp[] }
  | { readonly do: "change"; readonly patch: Omit<BodyInput<"changeProject">, "id"> }
  | { readonly do: "undo"; readonly actId: string }
  | { readonly do: "undo-run"; readonly runId: string };

type QueuedWrite = {
  readonly id: string;
  /** Its position in the queue, also after a reload of the page. */
  readonly at: number;
  readonly what: WriteRequest;
  /** It may have been received, so it must not change any more. */
  readonly isSent?: boolean;
};

export type Outcome =
  | { readonly name: "done"; readonly act: Act | null; readonly entities: readonly Entity[] }
  /** Another writer has changed it; their version is stored. */
  | { readonly name: "stale"; readonly current: unknown; readonly text: string }
  | { readonly name: "refused"; readonly text: string };

/** A conflicting write that waits for the user's decision. */
export type Stale = {
  readonly id: string;
  readonly what: WriteRequest;
  readonly current: Readonly<Record<string, unknown>>;
  readonly answer: (keep: "mine" | "theirs") => void;
};

export type Writer = {
  readonly overlay: Signal<Overlay>;
  /** Why writes are not getting through; null: they are. */
  readonly stalled: Signal<string | null>;
  readonly waiting: Signal<number>;
  /** The last change that can be undone. */
  readonly toasts: Toasts;
  /** The first conflict; the next follows when it is resolved. */
  readonly stale: Signal<Stale | null>;
  act(ops: readonly EntityOp[], options?: WriteOptions): Promise<Outcome>;
  change(patch: Omit<BodyInput<"changeProject">, "id">): Promise<Outcome>;
  undo(actId: string): Promise<Outcome>;
  undoRun(runId: string): Promise<Outcome>;
  /** Sends queued writes again. */
  retry(): void;
};

type WriteOptions = {
  /** Show a toast with an undo button. */
  readonly offer?: boolean;
  /** The changed entities as the user saw them. */
  readonly seen?: readonly EntityLine[];
  /** The caller handles a conflict. */
  readonly asks?: boolean;
};

type Options = {
  readonly projectId: string;
  readonly client: Pick<Client, "act" | "changeProject" | "undoAct" | "undoRun">;
  readonly storage: BrowserStorage;
  readonly say: (text: string) => void;
  readonly onSignedOut: () => void;
  readonly onProject: (project: Response<"changeProject">) => void;
};

type Waiter = { readonly options: WriteOptions; readonly resolve: (outcome: Outcome) => void };

export function createWriter({ projectId, client, storage, say, onSignedOut, onProject }: Options): Writer {
  const queue = createStoredQueue<QueuedWrite>({
    storage,
    prefix: `acts.${projectId}.`,
    compare: (a, b) => a.at - b.at,
  });
  const state = createState();
  const { overlay, stalled, waiting, toasts, stale } = state;
  const waiters = new Map<string, Waiter>();
  const { extendOwn, learn, see, follow } = createVersions(projectId, overlay);
  const send = createSend({ projectId, client, onProject, extendOwn });
  let conflicts: readonly Stale[] = [];
  let isBusy = false;
  let attempt = 0;
  let again: ReturnType<typeof setTimeout> | undefined;

  const setQueue = (next: readonly QueuedWrite[]) => {
    queue.replace(next);
    waiting.set(next.length);
    overlay.set({ ...overlay.get(), ops: next.flatMap(({ what }) => (what.do === "act" ? what.ops : [])) });
  };

  const pump = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    clearTimeout(again);
    for (let head = queue.items.get()[0]; head !== undefined; head = queue.items.get()[0]) {
      const writing = head.isSent ? head : { ...head, what: follow(head.what), isSent: true };
      setQueue([writing, ...queue.items.get().slice(1)]);
      const outcome = await send(writing).catch((error: unknown) => toOutcome(error));
      if (outcome === "signed-out") onSignedOut();
      if (outcome === "signed-out" || outcome.name === "stalled") {
        stalled.set(outcome === "signed-out" ? strings.signedOut : outcome.text);
        attempt += 1;
        again = setTimeout(() => void pump(), toBackoffMs(attempt, Math.random()));
        break;
      }
      attempt = 0;
      stalled.set(null);
      learn(writing, outcome);
      setQueue(queue.items.get().filter(({ id }) => id !== writing.id));
      settle(writing, outcome);
    }
    isBusy = false;
  };

  const settle = ({ id, what }: QueuedWrite, outcome: Outcome) => {
    const { options = {}, resolve = () => undefined } = waiters.get(id) ?? {};
    waiters.delete(id);
    if (outcome.name === "done" && outcome.act && options.offer) {
      const { id: actId, text } = outcome.act;
      toasts.show({ id, text, onUndo: () => void put({ do: "undo", actId }, {}) });
    } else toasts.cancel(id);
    const theirs = outcome.name === "stale" ? asRecord(outcome.current) : null;
    if (outcome.name === "stale" && theirs && !options.asks && canRestate(what)) {
      const answer = (whose: "mine" | "theirs") => {
        if (!conflicts.some((one) => one.id === id)) return;
        setConflicts(conflicts.filter((one) => one.id !== id));
        if (whose === "theirs") return resolve(outcome);
        void put(restate(what, theirs), options).then(resolve);
      };
      setConflicts([...conflicts, { id, what, current: theirs, answer }]);
      return;
    }
    if (outcome.name === "refused" || (outcome.name === "stale" && !options.asks)) say(outcome.text);
    resolve(outcome);
  };

  const setConflicts = (next: readonly Stale[]) => {
    conflicts = next;
    stale.set(next[0] ?? null);
  };

  const put = (what: WriteRequest, options: WriteOptions): Promise<Outcome> => {
    const writing = { id: createId(), at: Math.max(Date.now(), (queue.items.get().at(-1)?.at ?? 0) + 1), what };
    return new Promise((resolve) => {
      waiters.set(writing.id, { options, resolve });
      if (options.offer) toasts.expect(writing.id);
      see(options.seen ?? []);
      setQueue([...queue.items.get(), writing]);
      void pump();
    });
  };

  if (queue.items.get().length > 0) {
    setQueue(queue.items.get());
    void pump();
  }
  return {
    ...state,
    act: (ops, options = {}) => put({ do: "act", ops }, options),
    change: (patch) => put({ do: "change", patch }, {}),
    undo: (actId) => put({ do: "undo", actId }, {}),
    undoRun: (runId) => put({ do: "undo-run", runId }, {}),
    retry: () => void pump(),
  };
}

const createState = () => ({
  overlay: createSignal<Overlay>(noOverlay),
  stalled: createSignal<string | null>(null),
  waiting: createSignal(0),
  toasts: createToasts({ durationMs: 9000, max: 1 }),
  stale: createSignal<Stale | null>(null),
});

/** The versions that this page has seen and written. */
function createVersions(projectId: string, overlay: Signal<Overlay>) {
  /** Versions that only this page has written, by entity. */
  const own = new Map<string, { readonly from: number; readonly to: number }>();
  const extendOwn = (id: string, version: number) => own.set(id, extend(own.get(id), version));

  const learn = ({ what }: QueuedWrite, outcome: Outcome) => {
    if (outcome.name !== "done" || !outcome.act) return;
    const { seq } = outcome.act;
    const answers = new Map(overlay.get().answers);
    const seen = new Map(overlay.get().seen);
    for (const entity of outcome.entities) {
      const line = toLine(entity);
      extendOwn(entity.id, entity.version);
      answers.set(entity.id, { seq, line });
      seen.set(entity.id, line);
    }
    for (const op of what.do === "act" ? what.ops : []) if (op.do === "delete") answers.set(op.id, { seq, line: null });
    overlay.set({ ...overlay.get(), answers, seen });
  };

  const see = (lines: readonly EntityLine[]) => {
    const seen = new Map(overlay.get().seen);
    for (const line of lines) if ((seen.get(line.id)?.version ?? -1) < line.version) seen.set(line.id, line);
    overlay.set({ ...overlay.get(), seen });
  };

  /**
   * A second write to the same entity, made before the first was answered, is based on the result of the first, unless
   * another writer has changed it in between.
   */
  const follow = (what: WriteRequest): WriteRequest => {
    const raise = (version: number, id: string) => {
      const { from, to } = own.get(id) ?? { from: version, to: version };
      return version >= from && version <= to ? to : version;
    };
    if (what.do === "change")
      return { ...what, patch: { ...what.patch, version: raise(what.patch.version, projectId) } };
    if (what.do !== "act") return what;
    return {
      ...what,
      ops: what.ops.map((op) => ("version" in op ? { ...op, version: raise(op.version, op.id) } : op)),
    };
  };

  return { extendOwn, learn, see, follow };
}

type SendOptions = Pick<Options, "projectId" | "client" | "onProject"> & {
  readonly extendOwn: (id: string, version: number) => void;
};

function createSend({ projectId, client, onProject, extendOwn }: SendOptions) {
  return async ({ id, what }: QueuedWrite): Promise<Outcome> => {
    const params = { projectId };
    switch (what.do) {
      case "act": {
        const { act, entities } = await client.act({ params, body: { id, ops: [...what.ops] } });
        return { name: "done", act, entities };
      }
      case "change": {
        const project = await client.changeProject({ params, body: { ...what.patch, id } });
        extendOwn(projectId, project.version);
        onProject(project);
        return { name: "done", act: null, entities: [] };
      }
      case "undo": {
        const { act } = await client.undoAct({ params: { ...params, actId: what.actId }, body: { id } });
        return { name: "done", act, entities: [] };
      }
      case "undo-run": {
        const { act } = await client.undoRun({ params: { ...params, runId: what.runId }, body: { id } });
        return { name: "done", act, entities: [] };
      }
    }
  };
}

type Failure = Outcome | { readonly name: "stalled"; readonly text: string } | "signed-out";

function toOutcome(error: unknown): Failure {
  const { kind, text, current } = toFailure(error);
  if (kind === "signed-out") return kind;
  if (kind === "conflict") return { name: "stale", current, text };
  return { name: kind === "retry" ? "stalled" : "refused", text };
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === "object" && value !== null && "version" in value ? (value as Record<string, unknown>) : null;

/** Only a write to one entity can be rebased on its current version. */
const canRestate = (what: WriteRequest): boolean =>
  what.do === "change" || (what.do === "act" && what.ops.length === 1);

function restate(what: WriteRequest, { id, version }: Readonly<Record<string, unknown>>): WriteRequest {
  if (typeof version !== "number") return what;
  if (what.do === "change") return { ...what, patch: { ...what.patch, version } };
  if (what.do !== "act") return what;
  return { ...what, ops: what.ops.map((op) => ("version" in op && op.id === id ? { ...op, version } : op)) };
}

/** Each change increments the version by one. */
const extend = (last: { readonly from: number; readonly to: number } | undefined, version: number) => ({
  from: last && version <= last.to + 1 ? last.from : version - 1,
  to: version,
});
