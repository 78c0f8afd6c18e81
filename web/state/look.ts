import { useSyncExternalStore } from "react";
import { createSignal, useSignal } from "../lib/signal.ts";
import { usePage } from "./page.ts";
import type { BrowserStorage } from "../lib/storage.ts";

/**
 * Appearance settings of this browser. `theme.js` applies them before the first paint; this module changes them, in all
 * tabs. The first value of each is the default and is not stored.
 */
export const looks = {
  theme: ["system", "light", "dark"],
  text: ["normal", "small", "large", "larger"],
  motion: ["system", "less"],
  density: ["roomy", "compact"],
} as const;

export type LookName = keyof typeof looks;
export type Look<N extends LookName> = (typeof looks)[N][number];

const names = Object.keys(looks) as readonly LookName[];
const changes = createSignal(0);

export function readLook<N extends LookName>(storage: BrowserStorage, name: N): Look<N> {
  const choices: readonly Look<N>[] = looks[name];
  const stored = storage.get(name);
  return choices.find((choice) => choice === stored) ?? (choices[0] as Look<N>);
}

export function applyLook<N extends LookName>(storage: BrowserStorage, name: N, look: Look<N>): void {
  storage.set(name, look === looks[name][0] ? null : look);
  show(storage, name);
  changes.set(changes.get() + 1);
}

export function useLook<N extends LookName>(name: N): readonly [Look<N>, (look: Look<N>) => void] {
  const { storage } = usePage();
  useSignal(changes);
  return [readLook(storage, name), (look) => applyLook(storage, name, look)];
}

/** Applies changes from other tabs. */
export function followLooks(storage: BrowserStorage): void {
  addEventListener("storage", () => {
    for (const name of names) show(storage, name);
    changes.set(changes.get() + 1);
  });
}

/** Whether the user or the system asks for reduced motion. */
export const prefersReducedMotion = (): boolean =>
  document.documentElement.dataset["motion"] === "less" || matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether the page is dark, for pictures that cannot use the style sheet. */
export const useIsDark = (): boolean => useSyncExternalStore(followShade, isDark);

const systemIsDark = "(prefers-color-scheme: dark)";

function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === undefined ? matchMedia(systemIsDark).matches : chosen === "dark";
}

function followShade(listener: () => void): () => void {
  const system = matchMedia(systemIsDark);
  system.addEventListener("change", listener);
  const leave = changes.subscribe(listener);
  return () => {
    system.removeEventListener("change", listener);
    leave();
  };
}

function show(storage: BrowserStorage, name: LookName): void {
  const look = readLook(storage, name);
  if (look === looks[name][0]) delete document.documentElement.dataset[name];
  else document.documentElement.dataset[name] = look;
}
