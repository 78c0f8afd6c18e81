/** Caches results per run, in memory. The oldest runs are evicted. */
type RunMemo<T> = {
  /** The first caller for a key does the work and the others get its result. Failed work is not cached. */
  readonly once: (runId: string, key: string, work: () => Promise<T>) => Promise<{ value: T; isFirst: boolean }>;
};

const MAX_RUNS = 100;
const MAX_PER_RUN = 40;

export function createRunMemo<T>(isCacheable: (value: T) => boolean): RunMemo<T> {
  const runs = new Map<string, Map<string, Promise<T>>>();

  const openRun = (runId: string): Map<string, Promise<T>> => {
    const known = runs.get(runId) ?? new Map<string, Promise<T>>();
    runs.delete(runId);
    runs.set(runId, known);
    const [oldest] = runs.keys();
    if (runs.size > MAX_RUNS && oldest !== undefined) runs.delete(oldest);
    return known;
  };

  const start = async (known: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> => {
    let isCached = false;
    try {
      const value = await Promise.resolve().then(work);
      isCached = isCacheable(value);
      return value;
    } finally {
      if (!isCached) known.delete(key);
    }
  };

  return {
    once: async (runId, key, work) => {
      const known = openRun(runId);
      // After a failure, check again: another caller may have started the work in the meantime.
      for (let other = known.get(key); other !== undefined; other = known.get(key)) {
        const value = await other.catch(() => undefined);
        if (value !== undefined && isCacheable(value)) return { value, isFirst: false };
      }
      const mine = start(known, key, work);
      if (known.size < MAX_PER_RUN) known.set(key, mine);
      return { value: await mine, isFirst: true };
    },
  };
}
