import { createSignal, type Signal } from "./signal.ts";

/** A message about something that was just done, with an optional undo. */
export type Toast = {
  readonly id: string;
  readonly text: string;
  readonly onUndo?: () => void;
  /** Called once when the toast times out or is dismissed, at the latest when the page is closed. Never called after an undo. */
  readonly onDismiss?: () => void;
};

/** An action that Ctrl+Z can undo. Numbers increase over all stores: the newest is undone first. */
type Undoable = { readonly number: number; readonly undo: () => void };
let undoableCount = 0;

type ExpectedToast = { readonly number: number; isUndone: boolean };

export type Toasts = {
  /** Oldest first. */
  readonly list: Signal<readonly Toast[]>;
  /** Announces a toast that is shown once the server has answered. Ctrl+Z until then undoes it as soon as it can be undone. */
  expect(id: string): void;
  /** No toast will be shown for this id. */
  cancel(id: string): void;
  show(toast: Toast): void;
  undo(id: string): void;
  dismiss(id: string): void;
  dismissAll(): void;
  /** What Ctrl+Z can undo. */
  listUndoable(): readonly Undoable[];
  /** While held (hovered or focused), no toast times out. */
  hold(isHeld: boolean): void;
};

export const toastMs = 7000;
const maxToasts = 3;

type Options = { readonly durationMs?: number; readonly max?: number };

export function createToasts({ durationMs = toastMs, max = maxToasts }: Options = {}): Toasts {
  const list = createSignal<readonly Toast[]>([]);
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const numbers = new Map<string, number>();
  const expected = new Map<string, ExpectedToast>();
  let isHeld = false;

  const remove = (id: string): Toast | undefined => {
    const toast = list.get().find((one) => one.id === id);
    clearTimeout(timers.get(id));
    timers.delete(id);
    numbers.delete(id);
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
  const undo = (id: string) => remove(id)?.onUndo?.();
  return {
    list,
    dismiss,
    expect: (id) => void expected.set(id, { number: ++undoableCount, isUndone: false }),
    cancel: (id) => void expected.delete(id),
    show: (toast) => {
      dismiss(toast.id);
      const { number, isUndone } = expected.get(toast.id) ?? { number: ++undoableCount, isUndone: false };
      expected.delete(toast.id);
      if (isUndone) return toast.onUndo?.();
      numbers.set(toast.id, number);
      list.set([...list.get(), toast]);
      if (!isHeld) start(toast.id);
      for (const { id } of list.get().slice(0, -max)) dismiss(id);
    },
    undo,
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
    listUndoable: () => [
      ...list
        .get()
        .filter(({ onUndo }) => onUndo)
        .map(({ id }) => ({ number: numbers.get(id) ?? 0, undo: () => undo(id) })),
      ...[...expected.values()]
        .filter(({ isUndone }) => !isUndone)
        .map((one) => ({ number: one.number, undo: () => void (one.isUndone = true) })),
    ],
  };
}

/** The stores that are on screen. */
let visible: readonly Toasts[] = [];

/** Lets Ctrl+Z undo the newest action of all stores on screen. One listener serves them all. */
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
    .flatMap((toasts) => toasts.listUndoable())
    .toSorted((a, b) => a.number - b.number)
    .at(-1);
  if (!newest) return;
  event.preventDefault();
  event.stopPropagation();
  newest.undo();
}
