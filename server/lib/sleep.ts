/** Resolves after `ms`, or as soon as the signal aborts; it never rejects, the caller looks at the signal. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });

/** Lets others go on, in the midst of work that may be long. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
