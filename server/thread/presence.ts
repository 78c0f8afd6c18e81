import { z } from "zod";
import type { Body } from "../../protocol/api.ts";
import { threadStream } from "../../protocol/ids.ts";
import { PRESENCE_MS, type Present, type PresentUser } from "../../protocol/project/presence.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Store } from "../store/contract.ts";
import type { Threads } from "./threads.ts";

type Options = {
  readonly store: Pick<Store, "sendNotice" | "onNotice"> & { readonly read: Pick<Store["read"], "account"> };
  readonly threads: Pick<Threads, "get">;
  readonly clock: Pick<Clock, "monotonic">;
};

/** One report of a tab, as it is sent to other nodes. */
const Report = z.object({
  thread: z.string(),
  user: z.string(),
  tab: z.string(),
  name: z.string(),
  state: z.enum(["open", "typing", "closed"]),
});
type Report = z.infer<typeof Report>;
type Tab = Pick<Report, "user" | "name"> & { readonly typing: boolean; readonly expiresAt: number };
type Publish = (threadId: string, present: Present) => void;
type Reader = { readonly userId: string; readonly stream: string };

/**
 * Who has a shared thread open, and who is typing. It is in memory only: tabs report regularly, each report is sent to the other nodes,
 * and a tab without a report expires. A server without shared threads gets no report and runs no timer. Access is checked with
 * each report, and lists are sent only to readers of the thread's stream.
 */
export type Presence = ReturnType<typeof createPresence>;

export function createPresence({ store, threads, clock }: Options) {
  const open = new Map<string, Map<string, Tab>>();
  let publish: Publish = () => {};
  let timer: ReturnType<typeof setInterval> | undefined;

  const list = (threadId: string): Present => {
    const people = new Map<string, PresentUser>();
    for (const { user: id, name, typing } of open.get(threadId)?.values() ?? []) {
      people.set(id, { id, name, typing: typing || people.get(id)?.typing === true });
    }
    return { people: [...people.values()].toSorted((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1)) };
  };

  /** Publishes the list if `change` changes it. */
  const update = (threadId: string, change: (tabs: Map<string, Tab>) => void): void => {
    const before = JSON.stringify(list(threadId));
    const tabs = open.get(threadId) ?? new Map<string, Tab>();
    change(tabs);
    if (tabs.size > 0) open.set(threadId, tabs);
    else open.delete(threadId);
    const after = list(threadId);
    if (JSON.stringify(after) !== before) publish(threadId, after);
    if (open.size > 0) timer ??= setInterval(expire, EXPIRY_CHECK_MS).unref();
    else stop();
  };

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  const expire = (): void => {
    const now = clock.monotonic();
    for (const [threadId, all] of open) {
      if (![...all.values()].some(({ expiresAt }) => expiresAt <= now)) continue;
      update(threadId, (tabs) => {
        for (const [key, { expiresAt }] of tabs) if (expiresAt <= now) tabs.delete(key);
      });
    }
  };

  const apply = ({ thread, user, tab, name, state }: Report): void =>
    update(thread, (tabs) => {
      const key = JSON.stringify([user, tab]);
      // The latest report comes last.
      tabs.delete(key);
      if (state === "closed") return;
      tabs.set(key, { user, name, typing: state === "typing", expiresAt: clock.monotonic() + PRESENCE_MS });
      const [oldest] = tabs.keys();
      if (tabs.size > MAX_TABS && oldest !== undefined) tabs.delete(oldest);
    });

  store.onNotice((text) => {
    const report = parseReport(text);
    if (report) apply(report);
  });

  return {
    /** Called with each changed list. */
    onChange: (callback: Publish): void => void (publish = callback),

    mark: async (principal: Principal, threadId: string, { tab, state }: Body<"markPresent">): Promise<Present> => {
      const { shared } = await threads.get(principal, threadId);
      if (shared === 0) return { people: [] };
      const name = (await store.read.account(principal.userId))?.name ?? "";
      const report = { thread: threadId, user: principal.userId, tab, name, state };
      apply(report);
      store.sendNotice(JSON.stringify(report));
      return list(threadId);
    },

    /** Removes users who have lost access to streams of threads, on all nodes. Returns its argument. */
    drop: <R extends Reader>(lost: readonly R[]): readonly R[] => {
      for (const [thread, tabs] of open) {
        for (const { userId: user } of lost.filter(({ stream }) => stream === threadStream(thread))) {
          for (const [key, one] of tabs) {
            if (one.user !== user) continue;
            const [, tab] = JSON.parse(key) as [string, string];
            const report = { thread, user, tab, name: one.name, state: "closed" } as const;
            apply(report);
            store.sendNotice(JSON.stringify(report));
          }
        }
      }
      return lost;
    },
  };
}

const EXPIRY_CHECK_MS = 5_000;
/** Per thread. */
const MAX_TABS = 500;

/** Any client of the database can send a notice, so other texts are ignored. */
function parseReport(text: string): Report | undefined {
  try {
    return Report.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
