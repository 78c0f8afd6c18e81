import type { Clock } from "../lib/clock.ts";
import type { Reads, Store } from "./contract.ts";

type Options = {
  readonly thresholdMs: number;
  readonly clock: Pick<Clock, "monotonic">;
  readonly report: (fields: { readonly query: string; readonly ms: number }) => void;
};

/** Reports reads and transactions that take long, by name. Values are not reported: they may be content. */
export function logSlow(store: Store, { thresholdMs, clock, report }: Options): Store {
  const measure = async <T>(query: string, run: () => Promise<T>): Promise<T> => {
    const startedAt = clock.monotonic();
    try {
      return await run();
    } finally {
      const ms = Math.round(clock.monotonic() - startedAt);
      if (ms >= thresholdMs) report({ query, ms });
    }
  };
  const reads = Object.entries(store.read).map(([name, read]) => [
    name,
    (...values: readonly unknown[]) =>
      measure(name, async () => (read as (...given: readonly unknown[]) => unknown)(...values)),
  ]);
  return {
    ...store,
    read: Object.fromEntries(reads) as Reads,
    commit: (batches) => {
      const tables = batches.flatMap(({ writes }) => writes.map(({ table }) => table));
      return measure(`commit ${[...new Set(tables)].toSorted().join(" ")}`, () => store.commit(batches));
    },
  };
}
