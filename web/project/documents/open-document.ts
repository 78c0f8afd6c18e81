import type { Entity } from "../../../protocol/project/project.ts";
import { createSignal, type Signal } from "../../lib/signal.ts";
import { readStored, type BrowserStorage } from "../../lib/storage.ts";
import type { Outcome } from "../../state/project/writer.ts";

/**
 * An open document: stored in the browser at once and on the server when typing pauses, each time based on a version.
 * Changes from elsewhere are applied while there are no unsaved edits; otherwise both texts are shown.
 */
export type DocumentState = {
  readonly title: string;
  readonly body: string;
  readonly save:
    | { readonly name: "saved" }
    | { readonly name: "unsaved" }
    | { readonly name: "saving" }
    | { readonly name: "stale"; readonly theirs: Entity };
};

export type OpenDocument = {
  readonly state: Signal<DocumentState>;
  change(part: { readonly title?: string; readonly body?: string }): void;
  /** Takes the document as stored on the server. */
  receive(stored: Entity): void;
  /** Saves unsaved edits without waiting for a pause. */
  flush(): Promise<void>;
  keepMine(): Promise<void>;
  takeTheirs(): void;
};

type Patch = { readonly title?: string; readonly body?: string };
type Draft = { readonly title: string; readonly body: string; readonly version: number };
type Options = {
  readonly stored: Entity;
  readonly storage: BrowserStorage;
  readonly write: (patch: Patch, version: number) => Promise<Outcome>;
  readonly pauseMs?: number;
};

export function createDocument({ stored, storage, write, pauseMs = 800 }: Options): OpenDocument {
  const key = `document.${stored.id}`;
  let base = stored;
  let draft = readStored<Draft>(storage, key);
  let isSaving = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const state = createSignal<DocumentState>(toState(draft ?? base, draft ? { name: "unsaved" } : { name: "saved" }));

  const show = (save: DocumentState["save"]) => {
    storage.set(key, draft === null ? null : JSON.stringify(draft));
    state.set(toState(draft ?? base, save));
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    if (draft === null || isSaving || state.get().save.name === "stale") return;
    const sent = draft;
    const patch = toPatch(sent, base);
    if (patch === null) {
      draft = null;
      return show({ name: "saved" });
    }
    isSaving = true;
    show({ name: "saving" });
    const outcome = await write(patch, sent.version);
    isSaving = false;
    if (outcome.name === "stale" && outcome.current) return show({ name: "stale", theirs: outcome.current as Entity });
    if (outcome.name === "stale") return show({ name: "unsaved" });
    if (outcome.name === "refused") return show({ name: "unsaved" });
    base = outcome.entities.find(({ id }) => id === base.id) ?? base;
    // Edits made during the save are saved next.
    draft = draft.title === sent.title && draft.body === sent.body ? null : { ...draft, version: base.version };
    show({ name: draft === null ? "saved" : "unsaved" } as DocumentState["save"]);
    if (draft !== null) schedule();
  };
  const schedule = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), pauseMs);
  };

  return {
    state,
    flush,
    change: (part) => {
      draft = { ...(draft ?? { title: base.title, body: base.body, version: base.version }), ...part };
      show(state.get().save.name === "saved" ? { name: "unsaved" } : state.get().save);
      if (!isSaving) schedule();
    },
    receive: (next) => {
      if (draft !== null || next.version <= base.version) return;
      base = next;
      show({ name: "saved" });
    },
    keepMine: () => {
      const { save } = state.get();
      if (save.name !== "stale" || draft === null) return Promise.resolve();
      base = save.theirs;
      draft = { ...draft, version: base.version };
      show({ name: "unsaved" });
      return flush();
    },
    takeTheirs: () => {
      const { save } = state.get();
      if (save.name !== "stale") return;
      base = save.theirs;
      draft = null;
      show({ name: "saved" });
    },
  };
}

const toState = ({ title, body }: Draft | Entity, save: DocumentState["save"]): DocumentState => ({
  title,
  body,
  save,
});

/** The part of a draft to write; null: nothing. */
function toPatch(draft: Draft, base: Entity): Patch | null {
  const title = draft.title.trim();
  const patch = {
    ...(title !== "" && title !== base.title ? { title } : {}),
    ...(draft.body !== base.body ? { body: draft.body } : {}),
  };
  return Object.keys(patch).length > 0 ? patch : null;
}
