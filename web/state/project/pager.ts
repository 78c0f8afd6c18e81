import type { EntityLine } from "../../../protocol/project/project.ts";
import { toErrorText } from "../../lib/use-load.ts";
import { createSignal, type Signal } from "../../lib/signal.ts";

/** A list that is loaded page by page while scrolling, and reloaded after changes. */
export type PagerState = {
  readonly phase: "loading" | "ready" | "failed";
  readonly text: string;
  readonly lines: readonly EntityLine[];
  readonly total: number;
  /** The seq at which its oldest page was read. */
  readonly seq: number;
  readonly hasMore: boolean;
};

export type Pager = {
  readonly state: Signal<PagerState>;
  /** Reloads the loaded pages; calls during a reload are coalesced into one more. */
  load(): Promise<void>;
  more(): Promise<void>;
};

export type EntityPage = {
  readonly seq: number;
  readonly entities: readonly EntityLine[];
  readonly total: number;
  readonly nextCursor: string | null;
};

type Ask = (page: { readonly cursor?: string }) => Promise<EntityPage>;

const start: PagerState = { phase: "loading", text: "", lines: [], total: 0, seq: 0, hasMore: false };

export function createPager(ask: Ask): Pager {
  const state = createSignal(start);
  let pages: readonly EntityPage[] = [];
  let wanted = 0;
  let answered = 0;
  let isMore = false;

  const show = (next: readonly EntityPage[]) => {
    pages = next;
    state.set({
      phase: "ready",
      text: "",
      lines: next.flatMap(({ entities }) => entities),
      total: next[0]?.total ?? 0,
      seq: Math.min(...next.map(({ seq }) => seq)),
      hasMore: (next.at(-1)?.nextCursor ?? null) !== null,
    });
  };
  const fail = (error: unknown) => {
    if (state.get().phase === "ready") return;
    state.set({ ...start, phase: "failed", text: toErrorText(error) });
  };

  const readAll = async () => {
    const fresh: EntityPage[] = [];
    const count = Math.max(1, pages.length);
    for (let cursor: string | null | undefined; fresh.length < count && cursor !== null;) {
      const page: EntityPage = await ask(cursor ? { cursor } : {});
      fresh.push(page);
      cursor = page.nextCursor;
    }
    show(fresh);
  };

  return {
    state,
    load: async () => {
      wanted += 1;
      if (wanted > answered + 1) return;
      while (answered < wanted) {
        const mine = wanted;
        await readAll().catch(fail);
        answered = mine;
      }
    },
    more: async () => {
      const cursor = pages.at(-1)?.nextCursor;
      if (!cursor || isMore || answered < wanted) return;
      isMore = true;
      const before = pages;
      try {
        const page = await ask({ cursor });
        if (pages === before) show([...before, page]);
      } catch (error) {
        fail(error);
      } finally {
        isMore = false;
      }
    },
  };
}
