import { createSignal, type Signal } from "../../lib/signal.ts";
import type { BrowserStorage } from "../../lib/storage.ts";

/** The open tabs and the current one, stored per project. */
export type TabRow = { readonly open: readonly string[]; readonly at: string | null };

export type Tabs = {
  readonly row: Signal<TabRow>;
  open(path: string): void;
  close(path: string): void;
  /** Shows the file list. */
  leave(): void;
  rename(path: string, to: string): void;
};

const mostOpen = 30;

export function createTabs(storage: BrowserStorage, projectId: string): Tabs {
  const key = `workspace.${projectId}.tabs`;
  const row = createSignal(parseStored(storage.get(key)));
  const set = (next: TabRow) => {
    row.set(next);
    storage.set(key, JSON.stringify(next));
  };
  return {
    row,
    open: (path) => set(withOpen(row.get(), path)),
    close: (path) => set(withoutOpen(row.get(), path)),
    leave: () => set({ ...row.get(), at: null }),
    rename: (path, to) => {
      const { open, at } = row.get();
      set({ open: open.map((one) => (one === path ? to : one)), at: at === path ? to : at });
    },
  };
}

/** Beyond the limit, the oldest tab is closed. */
export const withOpen = ({ open }: TabRow, path: string): TabRow => ({
  open: (open.includes(path) ? open : [...open, path]).slice(-mostOpen),
  at: path,
});

/** The neighboring tab becomes the current one. */
export function withoutOpen({ open, at }: TabRow, path: string): TabRow {
  const index = open.indexOf(path);
  const rest = open.filter((one) => one !== path);
  if (at !== path) return { open: rest, at };
  return { open: rest, at: rest[Math.min(Math.max(index, 0), rest.length - 1)] ?? null };
}

function parseStored(text: string | null): TabRow {
  try {
    const { open, at } = JSON.parse(text ?? "") as { readonly open?: unknown; readonly at?: unknown };
    const paths = Array.isArray(open) ? open.filter((path) => typeof path === "string") : [];
    return { open: paths, at: typeof at === "string" && paths.includes(at) ? at : null };
  } catch {
    return { open: [], at: null };
  }
}
