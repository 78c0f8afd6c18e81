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
  readonly said: () => readonly string[];
  remember(text: string): void;
};

export const firstOwner = "new";
const mostSaid = 50;

type Options = {
  readonly client: Pick<Client, "listDrafts" | "getDraft" | "setDraft" | "getFirstDraft" | "setFirstDraft">;
  readonly storage: BrowserStorage;
  readonly outbox: Signal<readonly Outgoing[]>;
};

export function createDrafts({ client, storage, outbox }: Options): Drafts {
  const drafts = new Map<string, Draft>();
  let said: readonly string[] = [];
  let asked: Promise<void> | null = null;
  let known: ReadonlyMap<string, StoredDraft> | null = null;

  const remember = (text: string) => {
    const words = text.trim();
    if (words !== "") said = [words, ...said.filter((other) => other !== words)].slice(0, mostSaid);
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

  /** Loads all drafts at once: a thread that does not exist yet cannot be asked for its draft. */
  const ask = async () => {
    try {
      const { drafts: standing } = await client.listDrafts({ params: {} });
      const byOwner = new Map(standing.map((draft) => [draft.threadId ?? firstOwner, draft]));
      for (const [owner, draft] of drafts) if (toTarget(owner)) draft.meet(byOwner.get(owner) ?? null);
      known = byOwner;
    } catch {
      asked = null;
    }
  };
  const of = (owner: string): Draft => {
    const before = drafts.get(owner);
    if (before) return before;
    const target = toTarget(owner);
    const draft = createDraft({ owner, target, storage, onSetAside: remember });
    drafts.set(owner, draft);
    if (target && known) draft.meet(known.get(owner) ?? null);
    else if (target) asked ??= ask();
    return draft;
  };
  const wake = () => {
    for (const draft of drafts.values()) draft.wake();
  };
  outbox.subscribe(wake);

  return {
    of,
    said: () => said,
    remember,
    apply: (seq, event) => {
      if (event.type === "draft-changed") {
        const owner = event.threadId ?? firstOwner;
        if (asked !== null || drafts.has(owner)) of(owner).hear(seq, event.empty);
      }
      if (event.type === "thread-deleted") {
        drafts.get(event.threadId)?.forget();
        drafts.delete(event.threadId);
      }
      if (event.type === "everything-deleted") for (const draft of drafts.values()) draft.forget();
    },
    wake: () => {
      if (drafts.size > 0 && known === null) asked ??= ask();
      wake();
    },
  };
}
