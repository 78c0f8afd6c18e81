import { createSignal, type Signal } from "../lib/signal.ts";
import type { Toasts } from "../lib/toasts.ts";
import { notices as strings } from "../strings/notices.ts";

/**
 * Confirmed deletions that can still be undone. The thread is hidden in all tabs of this browser; the server deletes it when
 * the undo period is over. If the tab closes before that, nothing is deleted and the other tabs show the thread again.
 */
export type Deletions = {
  readonly hidden: Signal<ReadonlySet<string>>;
  remove(thread: { readonly id: string; readonly title: string }, options: RemoveOptions): void;
};

type RemoveOptions = { readonly forget: boolean; readonly onUndo?: () => void };

type TabMessage = { readonly say: "hide" | "show"; readonly threadId: string } | { readonly say: "ask" };

/** Messages between the tabs of one browser. */
export type Tabs = {
  readonly post: (message: TabMessage) => void;
  readonly listen: (receive: (message: TabMessage) => void) => void;
};

type Options = {
  readonly toasts: Toasts;
  /** Resolves to whether it worked. */
  readonly send: (threadId: string, forget: boolean) => Promise<boolean>;
  readonly tabs: Tabs;
};

const repeatMs = 4000;
/** A tab that has been silent for this long is considered closed. */
const silenceMs = 12_000;

export function createDeletions({ toasts, send, tabs }: Options): Deletions {
  const hidden = createSignal<ReadonlySet<string>>(new Set());
  const pending = new Set<string>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  let repeating: ReturnType<typeof setInterval> | undefined;

  const hide = (threadId: string) => hidden.set(new Set([...hidden.get(), threadId]));
  const show = (threadId: string) => hidden.set(new Set([...hidden.get()].filter((id) => id !== threadId)));
  const postAll = () => {
    for (const threadId of pending) tabs.post({ say: "hide", threadId });
  };
  const begin = (threadId: string) => {
    pending.add(threadId);
    hide(threadId);
    tabs.post({ say: "hide", threadId });
    repeating ??= setInterval(postAll, repeatMs);
  };
  const end = (threadId: string) => {
    pending.delete(threadId);
    if (pending.size > 0) return;
    clearInterval(repeating);
    repeating = undefined;
  };
  const restore = (threadId: string) => {
    end(threadId);
    show(threadId);
    tabs.post({ say: "show", threadId });
  };

  tabs.listen((message) => {
    if (message.say === "ask") return postAll();
    const { say, threadId } = message;
    if (pending.has(threadId)) return;
    clearTimeout(timers.get(threadId));
    timers.delete(threadId);
    if (say === "show") return show(threadId);
    hide(threadId);
    timers.set(
      threadId,
      setTimeout(() => show(threadId), silenceMs),
    );
  });
  tabs.post({ say: "ask" });

  return {
    hidden,
    remove: ({ id, title }, { forget, onUndo }) => {
      begin(id);
      toasts.show({
        id: `delete ${id}`,
        text: strings.deleted(title || strings.newThread),
        onUndo: () => {
          restore(id);
          onUndo?.();
        },
        onDismiss: () => void send(id, forget).then((isDone) => (isDone ? end(id) : restore(id))),
      });
    },
  };
}

export function openTabs(name = "stonechat.deletions"): Tabs {
  if (typeof BroadcastChannel === "undefined") return { post: () => undefined, listen: () => undefined };
  const channel = new BroadcastChannel(name);
  return {
    post: (message) => channel.postMessage(message),
    listen: (receive) => channel.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => receive(data)),
  };
}
