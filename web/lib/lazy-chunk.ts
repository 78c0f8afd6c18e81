import { lazy, type ComponentType, type LazyExoticComponent } from "react";

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

export async function loadChunk<T>(load: () => Promise<T>, { isServerUp = answers, wait = sleep } = {}): Promise<T> {
  let failures = 0;
  for (let delayMs = 300; ; delayMs = Math.min(longestDelayMs, delayMs * 2)) {
    try {
      return await load();
    } catch (error) {
      failures = (await isServerUp()) ? failures + 1 : 0;
      if (failures === mostFailures) throw error;
    }
    await wait(delayMs);
  }
}

const answers = (): Promise<boolean> =>
  fetch("/healthz").then(
    ({ ok }) => ok,
    () => false,
  );
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
