import { readStored, type BrowserStorage } from "../../lib/storage.ts";

/** Unsaved words, and the file that they were written over. */
export type Draft = { readonly was: string; readonly text: string };

export type Drafts = {
  get(path: string): Draft | null;
  set(path: string, draft: Draft | null): void;
};

/** Kept in the browser from key to key, so that a page that goes away loses none of them. */
export function createDrafts(storage: BrowserStorage, projectId: string): Drafts {
  const toKey = (path: string) => `workspace.${projectId}.draft.${path}`;
  return {
    get: (path) => {
      const kept = readStored<Draft>(storage, toKey(path));
      return typeof kept?.text === "string" ? kept : null;
    },
    set: (path, draft) => storage.set(toKey(path), draft === null ? null : JSON.stringify(draft)),
  };
}
