import type { BodyInput } from "../../protocol/api.ts";
import type { Client } from "../../protocol/client.ts";
import type { ThreadView } from "../../protocol/fold.ts";
import { createId } from "../lib/ids.ts";
import { createStoredQueue, toFailure } from "../api/stored-queue.ts";
import type { Signal } from "../lib/signal.ts";
import type { BrowserStorage } from "../lib/storage.ts";
import { notices as strings } from "../strings/notices.ts";

/** A message that the thread's view does not show yet. */
export type Outgoing = {
  readonly id: string;
  readonly threadId: string;
  readonly text: string;
  readonly mode: "queue" | "steer";
  /** Ids of the uploaded files. */
  readonly attachments?: readonly string[];
  /** Set if the thread has to be created first. */
  readonly create: Create | null;
  /** A project to create before the thread that belongs to it. */
  readonly project?: ProjectToCreate;
  /** The draft to delete is that of the start page. */
  readonly draft?: "first";
  readonly state:
    | { readonly name: "sending" }
    | { readonly name: "failed"; readonly text: string; readonly again: boolean }
    | { readonly name: "accepted"; readonly seq: number };
};

export type ProjectToCreate = { readonly id: string; readonly name: string };

/** Options for creating a thread, besides its id. */
export type Create = Omit<BodyInput<"createThread">, "id">;

/**
 * Messages that the server has not shown yet. They are kept in browser storage until the server has them, and always sent
 * with their first id, so sending again cannot duplicate them.
 */
export type Outbox = {
  readonly items: Signal<readonly Outgoing[]>;
  send(message: Pick<Outgoing, "threadId" | "text" | "mode" | "create" | "project" | "draft" | "attachments">): string;
  retry(id: string): void;
  /** Retries all messages that failed because the server was unreachable. */
  retryAll(): void;
  discard(id: string): void;
  /** Removes messages that the thread's view shows. */
  settle(threadId: string, view: ThreadView): void;
};

type Options = {
  readonly client: Pick<Client, "createProject" | "createThread" | "sendMessage">;
  readonly storage: BrowserStorage;
  readonly onCreated: (threadId: string) => void;
  readonly onSignedOut: () => void;
};

/** Messages that were being sent when the page closed may have arrived; sending them again is safe. */
const unsent = { name: "failed", text: strings.notSentYet, again: true } as const;

export function createOutbox({ client, storage, onCreated, onSignedOut }: Options): Outbox {
  const { items, replace, isStored } = createStoredQueue<Outgoing>({
    storage,
    prefix: "outbox.",
    // Ids increase with time.
    compare: (a, b) => (a.id < b.id ? -1 : 1),
    restore: (item) => ({ ...item, state: unsent }),
    isAccepted: ({ state }) => state.name === "accepted",
  });
  const lastRequests = new Map<string, Promise<void>>();

  const change = (id: string, patch: Partial<Outgoing>) =>
    replace(items.get().map((item) => (item.id === id ? { ...item, ...patch } : item)));

  /** One request at a time per thread: messages arrive in order, and after their thread is created. */
  const post = (id: string, threadId: string) => {
    change(id, { state: { name: "sending" } });
    const request = (lastRequests.get(threadId) ?? Promise.resolve()).then(() => postNow(id));
    lastRequests.set(threadId, request);
  };

  const postNow = async (id: string) => {
    const item = items.get().find((other) => other.id === id);
    if (!item) return;
    const { threadId, text, mode, draft, attachments = [] } = item;
    const first = items.get().find((other) => other.threadId === threadId && other.create);
    try {
      if (first?.create) {
        if (first.project) await client.createProject({ params: {}, body: first.project });
        await client.createThread({ params: {}, body: { ...first.create, id: threadId } });
        replace(items.get().map((other) => (other.threadId === threadId ? { ...other, create: null } : other)));
        onCreated(threadId);
      }
      const files = attachments.length > 0 ? { attachments: [...attachments] } : {};
      const body = { id, text, mode, ...files, ...(draft ? { draft } : {}) };
      const { seq } = await client.sendMessage({ params: { threadId }, body });
      change(id, { state: { name: "accepted", seq } });
    } catch (error) {
      const { kind, text } = toFailure(error);
      if (kind === "signed-out") onSignedOut();
      change(id, { state: { name: "failed", text, again: kind === "retry" || kind === "signed-out" } });
    }
  };

  const retry = (id: string) => {
    const item = items.get().find((other) => other.id === id);
    if (item?.state.name !== "failed") return;
    // Another tab has sent or discarded it.
    if (!isStored(id)) replace(items.get().filter((other) => other !== item));
    else post(id, item.threadId);
  };

  return {
    items,
    retry,
    send: (message) => {
      const item: Outgoing = { id: createId(), ...message, state: { name: "sending" } };
      replace([...items.get(), item]);
      post(item.id, item.threadId);
      return item.id;
    },
    retryAll: () => {
      for (const { id, state } of items.get()) if (state.name === "failed" && state.again) retry(id);
    },
    discard: (id) => {
      const discarded = items.get().find((item) => item.id === id);
      const others = items.get().filter((item) => item.id !== id);
      const next = others.find((item) => item.threadId === discarded?.threadId);
      if (!discarded?.create || !next) return replace(others);
      // The next message creates the thread.
      const { create, project } = discarded;
      replace(others.map((item) => (item === next ? { ...item, create, ...(project ? { project } : {}) } : item)));
    },
    settle: (threadId, view) => {
      const shown = new Set([...view.messages, ...view.queue].map((entry) => entry.id));
      const isSettled = (item: Outgoing) =>
        item.threadId === threadId &&
        (shown.has(item.id) || (item.state.name === "accepted" && item.state.seq <= view.seq));
      if (items.get().some(isSettled)) replace(items.get().filter((item) => !isSettled(item)));
    },
  };
}
