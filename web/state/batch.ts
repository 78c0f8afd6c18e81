export type Schedule = (run: () => void) => () => void;

/**
 * Collects items and delivers them together, at most once per frame and per gap. A hidden page has no frames, so a timer is
 * used.
 */
export function createBatch<T>(take: (items: readonly T[]) => void, schedule: Schedule = createFrameSchedule()) {
  let items: T[] = [];
  let cancel: (() => void) | null = null;
  const flush = () => {
    cancel?.();
    cancel = null;
    if (items.length === 0) return;
    const taken = items;
    items = [];
    take(taken);
  };
  return {
    add: (item: T) => {
      items.push(item);
      cancel ??= schedule(flush);
    },
    flush,
    clear: () => {
      cancel?.();
      cancel = null;
      items = [];
    },
  };
}

const gapMs = 40;

/** The next frame, at least `gapMs` after the last one: parsing Markdown more often does not improve reading. */
function createFrameSchedule(): Schedule {
  let lastAt = 0;
  return (run) => {
    let frame = 0;
    const runNow = () => {
      lastAt = performance.now();
      run();
    };
    const timer = setTimeout(
      () => {
        if (document.hidden) runNow();
        else frame = requestAnimationFrame(runNow);
      },
      Math.max(0, lastAt + gapMs - performance.now()),
    );
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  };
}
