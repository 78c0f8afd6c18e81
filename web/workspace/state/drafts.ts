import { readStored, type BrowserStorage } from "../../lib/storage.ts";

/** Unsaved edits, and the version they are based on. */
export type Draft = { readonly was: string; readonly text: string };

export type Drafts = {
  get(path: string): Draft | null;
  set(path: string, draft: Draft | null): void;
};

/** Stored in the browser with each key press, so that a closed page loses nothing. */
export function createDrafts(storage: BrowserStorage, projectId: string): Drafts {
  const toKey = (path: string) => `workspace.${projectId}.draft.${path}`;
  return {
    get: (path) => {
      const stored = readStored<Draft>(storage, toKey(path));
      return typeof stored?.text === "string" ? stored : null;
    },
    set: (path, draft) => storage.set(toKey(path), draft === null ? null : JSON.stringify(draft)),
  };
}
