import { createSignal, type Signal } from "./signal.ts";

/** A message about something that was just done, with an optional undo. */
export type Toast = {
  readonly id: string;
  readonly text: string;
  readonly onUndo?: () => void;
  /** Called once when the toast times out or is dismissed, at the latest when the page is closed. Never called after an undo. */
  readonly onDismiss?: () => void;
};

export type Toasts = {
  /** Oldest first. */
  readonly list: Signal<readonly Toast[]>;
  show(toast: Toast): void;
  undo(id: string): void;
  dismiss(id: string): void;
  dismissAll(): void;
  /** While held (hovered or focused), no toast times out. */
  hold(isHeld: boolean): void;
};

export const toastMs = 7000;
const maxToasts = 3;

/** When each toast was shown, over all stores: Ctrl+Z undoes the newest. */
const shownOrder = new WeakMap<Toast, number>();
let shownCount = 0;

type Options = { readonly durationMs?: number; readonly max?: number };

export function createToasts({ durationMs = toastMs, max = maxToasts }: Options = {}): Toasts {
  const list = createSignal<readonly Toast[]>([]);
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  let isHeld = false;

  const remove = (id: string): Toast | undefined => {
    const toast = list.get().find((one) => one.id === id);
    clearTimeout(timers.get(id));
    timers.delete(id);
    list.set(list.get().filter((one) => one.id !== id));
    return toast;
  };
  const dismiss = (id: string) => remove(id)?.onDismiss?.();
  const start = (id: string) => {
    clearTimeout(timers.get(id));
    timers.set(
      id,
      setTimeout(() => dismiss(id), durationMs),
    );
  };
  return {
    list,
    dismiss,
    show: (toast) => {
      dismiss(toast.id);
      shownCount += 1;
      shownOrder.set(toast, shownCount);
      list.set([...list.get(), toast]);
      if (!isHeld) start(toast.id);
      for (const { id } of list.get().slice(0, -max)) dismiss(id);
    },
    undo: (id) => remove(id)?.onUndo?.(),
    dismissAll: () => {
      for (const { id } of list.get()) dismiss(id);
    },
    hold: (next) => {
      if (next === isHeld) return;
      isHeld = next;
      for (const { id } of list.get()) {
        if (isHeld) clearTimeout(timers.get(id));
        else start(id);
      }
    },
  };
}

/** The stores that are on screen. */
let visible: readonly Toasts[] = [];

/** Lets Ctrl+Z undo the newest toast of all stores on screen. One listener serves them all. */
export function listenForUndoKey(toasts: Toasts): () => void {
  if (visible.length === 0) addEventListener("keydown", undoNewest, true);
  visible = [...visible, toasts];
  return () => {
    visible = visible.toSpliced(visible.indexOf(toasts), 1);
    if (visible.length === 0) removeEventListener("keydown", undoNewest, true);
  };
}

function undoNewest(event: KeyboardEvent): void {
  if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
  // Text fields have their own undo.
  if (event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]")) return;
  const newest = visible
    .flatMap((toasts) => toasts.list.get().map((toast) => ({ toasts, toast })))
    .filter(({ toast }) => toast.onUndo)
    .toSorted((a, b) => (shownOrder.get(a.toast) ?? 0) - (shownOrder.get(b.toast) ?? 0))
    .at(-1);
  if (!newest) return;
  event.preventDefault();
  event.stopPropagation();
  newest.toasts.undo(newest.toast.id);
}
