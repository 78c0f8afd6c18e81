/** The part of Chromium's trace format that is read here. Times are in microseconds. */
export type TraceEvent = {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** The CPU time of the thread, without waiting for a processor. */
  readonly tdur?: number;
};

/** Chromium reports a frame inside the task that makes it. */
const frameMade = "BeginCommitCompositorFrame";
const task = "RunTask";

export const traceCategories: readonly string[] = ["disabled-by-default-devtools.timeline"];

/**
 * The main thread's work for each frame, in milliseconds: the time of its tasks from the beginning of one frame to that of the
 * next. A slow frame delays the next one, so all its work is counted.
 */
export function toFrameWork(events: readonly TraceEvent[], clock: "wall" | "cpu" = "wall"): readonly number[] {
  const thread = findPage(events);
  if (thread === undefined) return [];
  const own = events.filter((event) => threadOf(event) === thread).toSorted((a, b) => a.ts - b.ts);
  const tasks = own.filter(({ name, ph }) => name === task && ph === "X");
  const starts = own.filter(({ name }) => name === frameMade).map(({ ts }) => beginOf(tasks, ts));
  const work = starts.slice(1).map(() => 0);
  let frame = -1;
  for (const { ts, dur = 0, tdur = dur } of tasks) {
    while (frame + 1 < starts.length && (starts[frame + 1] ?? 0) <= ts) frame += 1;
    if (frame >= 0 && frame < work.length) work[frame] = (work[frame] ?? 0) + (clock === "cpu" ? tdur : dur) / 1000;
  }
  return work;
}

/** The whole task that makes a frame belongs to the frame. */
const beginOf = (tasks: readonly TraceEvent[], ts: number): number =>
  tasks.findLast((one) => one.ts <= ts && one.ts + (one.dur ?? 0) >= ts)?.ts ?? ts;

const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;

/** The thread that draws most; other threads belong to spare pages. */
function findPage(events: readonly TraceEvent[]): string | undefined {
  const frames = Map.groupBy(
    events.filter(({ name }) => name === frameMade),
    threadOf,
  );
  return [...frames].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}
