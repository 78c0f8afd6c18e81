import { createSignal, type Signal } from "./signal.ts";

/** What was just done, and the way back for some seconds. */
export type Offer = {
  readonly id: string;
  readonly text: string;
  readonly onUndo: () => void;
  /** When the way back is over: once, and at the latest when the page is left. Never after an undo. */
  readonly onSettle?: () => void;
};

export type UndoOffers = {
  readonly offers: Signal<readonly Offer[]>;
  make(offer: Offer): void;
  undo(id: string): void;
  settle(id: string): void;
  settleAll(): void;
  /** While somebody is at them, none runs out. */
  hold(isHeld: boolean): void;
};

export const offeredMs = 7000;
const mostOffers = 3;

export function createUndoOffers(lastsMs = offeredMs): UndoOffers {
  const offers = createSignal<readonly Offer[]>([]);
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  let isHeld = false;

  const take = (id: string): Offer | undefined => {
    const offer = offers.get().find((one) => one.id === id);
    clearTimeout(timers.get(id));
    timers.delete(id);
    offers.set(offers.get().filter((one) => one.id !== id));
    return offer;
  };
  const settle = (id: string) => take(id)?.onSettle?.();
  const start = (id: string) => {
    clearTimeout(timers.get(id));
    timers.set(
      id,
      setTimeout(() => settle(id), lastsMs),
    );
  };
  return {
    offers,
    settle,
    make: (offer) => {
      settle(offer.id);
      offers.set([...offers.get(), offer]);
      if (!isHeld) start(offer.id);
      for (const { id } of offers.get().slice(0, -mostOffers)) settle(id);
    },
    undo: (id) => take(id)?.onUndo(),
    settleAll: () => {
      for (const { id } of offers.get()) settle(id);
    },
    hold: (next) => {
      if (next === isHeld) return;
      isHeld = next;
      for (const { id } of offers.get()) {
        if (isHeld) clearTimeout(timers.get(id));
        else start(id);
      }
    },
  };
}
