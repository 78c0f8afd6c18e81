import { createElement, lazy, useState, type ComponentType, type LazyExoticComponent } from "react";
import { loadAccountTexts } from "../strings/language.ts";

const longestDelayMs = 5000;
const mostFailures = 3;

/**
 * `React.lazy` for a chunk of the page. While the server cannot be reached, loading is retried. If the server answers and the
 * chunk still fails three times in a row, as after an upgrade, the error is thrown: the user has to reload the page.
 */
// `any`: the props are those of the component that is loaded.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const lazyChunk = <T extends ComponentType<any>>(
  load: () => Promise<{ readonly default: T }>,
): LazyExoticComponent<T> => lazy(() => loadChunk(load));

/**
 * A chunk that is usually loaded before it is rendered, and the function that loads it. Once loaded, it is rendered at once;
 * `lazyChunk` shows its fallback for a moment.
 */
export function preloadedChunk<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): readonly [ComponentType<P>, () => void] {
  let loaded: ComponentType<P> | undefined;
  const keep = async () => {
    const chunk = await load();
    loaded = chunk.default;
    return chunk;
  };
  const Late = lazyChunk(keep);
  const Chunk = (props: P) => {
    const [Content] = useState<ComponentType<P>>(() => loaded ?? Late);
    return createElement(Content, props);
  };
  // Failures are handled when the chunk is rendered.
  return [Chunk, () => void keep().catch(() => undefined)];
}

/** A chunk that shows texts of accounts. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const accountChunk = <T extends ComponentType<any>>(load: () => Promise<{ readonly default: T }>) =>
  lazyChunk(async () => {
    await loadAccountTexts();
    return load();
  });

export async function loadChunk<T>(load: () => Promise<T>, { isServerUp = answers, wait = sleep } = {}): Promise<T> {
  let failures = 0;
  let address: string | undefined;
  for (let [tries, delayMs] = [0, 300]; ; delayMs = Math.min(longestDelayMs, delayMs * 2)) {
    try {
      return await (address === undefined ? load() : importFrom<T>(`${address}?try=${(tries += 1)}`));
    } catch (error) {
      address ??= findAddress(error);
      failures = (await isServerUp()) ? failures + 1 : 0;
      if (failures === mostFailures) throw error;
    }
    await wait(delayMs);
  }
}

const importFrom = <T>(address: string): Promise<T> => import(/* @vite-ignore */ address) as Promise<T>;

/**
 * The address of a chunk that could not be loaded: Chromium's error ends with it. Until the page is reloaded, some versions do
 * not request the same address again, so the next tries need another one.
 */
function findAddress(error: unknown): string | undefined {
  const { message = "" } = error as { readonly message?: string };
  const address = message.slice(message.lastIndexOf(" ") + 1);
  return URL.canParse(address) && new URL(address).origin === globalThis.location?.origin ? address : undefined;
}

const answers = (): Promise<boolean> =>
  fetch("/healthz").then(
    ({ ok }) => ok,
    () => false,
  );
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
