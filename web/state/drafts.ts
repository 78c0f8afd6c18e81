import type { Client } from "../../protocol/client.ts";
import type { LogEvent } from "../../protocol/events.ts";
import type { Signal } from "../lib/signal.ts";
import type { Outgoing } from "./outbox.ts";
import type { BrowserStorage } from "../lib/storage.ts";
import { createDraft, type Draft, type DraftTarget, type StoredDraft } from "./draft.ts";

/**
 * All drafts of this page by owner: a thread's id, or "new" for a thread that does not exist yet. Drafts of threads in a
 * project and of temporary threads ("new.…") stay in this browser.
 */
export type Drafts = {
  of(owner: string): Draft;
  apply(seq: number, event: LogEvent): void;
  wake(): void;
  /** Texts that were sent or replaced, newest first. */
  readonly recent: () => readonly string[];
  remember(text: string): void;
};

export const firstOwner = "new";
const mostRecent = 50;

type Options = {
  readonly client: Pick<Client, "listDrafts" | "getDraft" | "setDraft" | "getFirstDraft" | "setFirstDraft">;
  readonly storage: BrowserStorage;
  readonly outbox: Signal<readonly Outgoing[]>;
};

export function createDrafts({ client, storage, outbox }: Options): Drafts {
  const drafts = new Map<string, Draft>();
  let recent: readonly string[] = [];
  let loading: Promise<void> | null = null;
  let known: ReadonlyMap<string, StoredDraft> | null = null;

  const remember = (text: string) => {
    const trimmed = text.trim();
    if (trimmed !== "") recent = [trimmed, ...recent.filter((other) => other !== trimmed)].slice(0, mostRecent);
  };
  const isOnItsWay = (item: Outgoing) => item.state.name !== "accepted";
  const toTarget = (owner: string): DraftTarget | null => {
    if (owner === firstOwner)
      return {
        isReady: () => !outbox.get().some((item) => item.draft === "first" && isOnItsWay(item)),
        get: async () => (await client.getFirstDraft({ params: {} })).draft,
        set: (body) => client.setFirstDraft({ params: {}, body }),
      };
    if (owner.startsWith(`${firstOwner}.`)) return null;
    const params = { threadId: owner };
    return {
      isReady: () => !outbox.get().some((item) => item.threadId === owner && isOnItsWay(item)),
      get: async () => (await client.getDraft({ params })).draft,
      set: (body) => client.setDraft({ params, body }),
    };
  };

  /** Loads all drafts in one request, so that a thread that does not exist yet is not requested. */
  const ask = async () => {
    try {
      const { drafts: remote } = await client.listDrafts({ params: {} });
      const byOwner = new Map(remote.map((draft) => [draft.threadId ?? firstOwner, draft]));
      for (const [owner, draft] of drafts) if (toTarget(owner)) draft.reconcile(byOwner.get(owner) ?? null);
      known = byOwner;
    } catch {
      loading = null;
    }
  };
  const of = (owner: string): Draft => {
    const before = drafts.get(owner);
    if (before) return before;
    const target = toTarget(owner);
    const draft = createDraft({ owner, target, storage, onReplaced: remember });
    drafts.set(owner, draft);
    if (target && known) draft.reconcile(known.get(owner) ?? null);
    else if (target) loading ??= ask();
    return draft;
  };
  const wake = () => {
    for (const draft of drafts.values()) draft.wake();
  };
  outbox.subscribe(wake);

  return {
    of,
    recent: () => recent,
    remember,
    apply: (seq, event) => {
      if (event.type === "draft-changed") {
        const owner = event.threadId ?? firstOwner;
        if (loading !== null || drafts.has(owner)) of(owner).announce(seq, event.empty, event.was);
      }
      if (event.type === "thread-deleted") {
        drafts.get(event.threadId)?.forget();
        drafts.delete(event.threadId);
      }
      if (event.type === "everything-deleted") for (const draft of drafts.values()) draft.forget();
    },
    wake: () => {
      if (drafts.size > 0 && known === null) loading ??= ask();
      wake();
    },
  };
}
