/** What was done in a run already, while this process lives. Runs that are long over are forgotten. */
export type RunMemo<T> = {
  /** The first to ask for a key does the work, the others get its result; work that failed is done again. */
  readonly once: (runId: string, key: string, work: () => Promise<T>) => Promise<{ value: T; isFirst: boolean }>;
};

const MAX_RUNS = 100;
const MAX_PER_RUN = 40;

export function createRunMemo<T>(isWorthKeeping: (value: T) => boolean): RunMemo<T> {
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
    let isKept = false;
    try {
      const value = await Promise.resolve().then(work);
      isKept = isWorthKeeping(value);
      return value;
    } finally {
      if (!isKept) known.delete(key);
    }
  };

  return {
    once: async (runId, key, work) => {
      const known = openRun(runId);
      // Whoever waited for work that failed looks again: another may have begun meanwhile.
      for (let other = known.get(key); other !== undefined; other = known.get(key)) {
        const value = await other.catch(() => undefined);
        if (value !== undefined && isWorthKeeping(value)) return { value, isFirst: false };
      }
      const mine = start(known, key, work);
      if (known.size < MAX_PER_RUN) known.set(key, mine);
      return { value: await mine, isFirst: true };
    },
  };
}
