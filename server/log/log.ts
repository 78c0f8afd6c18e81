import { projectStream, threadStream, type StreamName } from "../../protocol/ids.ts";
import type { LogEvent } from "../../protocol/events.ts";
import type { Clock } from "../lib/clock.ts";
import { withPart, type Batch, type Fence, type PlannedEvent, type Store, type Write } from "../store/contract.ts";
import { AT_ONCE, createGroup, type Entry } from "./group.ts";
import { createReaders } from "./readers.ts";
import type { Row, Watch } from "./types.ts";

/**
 * THE LOG. In: batches of events with the rows they stand for. Out: committed rows, to whoever watches. Every write of the
 * product goes through `commit` or a `Writer`, so nobody can forget to wake; nothing is sent that is not durable.
 */
export type Log = {
  /** Durable and atomic when it resolves; what a batch may be refused for is in the result. */
  readonly commit: (batch: LogBatch) => Promise<Committed>;
  /** The pen of a lease's holder. */
  readonly open: (options: WriterOptions) => Writer;
  readonly watch: Watch;
  /** Called with threads that have something new to do, here or elsewhere. Advisory: the rows are the truth. */
  readonly onDrive: (callback: (threads: readonly string[]) => void) => void;
  /**
   * Called with a batch that will wake threads, as it is put in line: what is committed in reply comes after it, mostly in
   * the same transaction. It may yet be refused, so the reply must be one that then fails by itself.
   */
  readonly onComing: (callback: (batch: LogBatch) => void) => void;
  readonly stats: () => { flushes: number; batches: number; commitMs: number; readers: number };
  readonly close: () => Promise<void>;
};

export type LogBatch = Omit<Batch, "events"> & { readonly events: readonly LogEntry[] };
export type LogEntry = {
  readonly stream: StreamName;
  readonly event: LogEvent;
  /** Goes when its step settles: a state on the way to another. */
  readonly transient?: boolean;
  /** Of a settled part, counted when it is written. */
  readonly tokens?: number;
};
export type Committed =
  | { readonly ok: true; readonly seqs: readonly number[]; readonly epoch: number | null }
  | { readonly ok: false; readonly why: "fenced" | "conflict" | "missing" };

export type WriterOptions = {
  readonly threadId: string;
  readonly epoch: number;
  /** The lease was lost, or the database failed: whatever is being done must stop. Called once. */
  readonly onLost: (error: Error) => void;
};

export type Writer = {
  /** Text of a part that streams. `head` is the event's JSON up to its text: `{"type":"text-delta",...,"text":`. */
  readonly append: (head: string, text: string) => void;
  /** After all appends before it. Rejects when the lease is lost or the database failed. */
  readonly commit: (batch: WriterBatch) => Promise<readonly number[]>;
  /** The same, but a conflict or a missing row is an answer: null, and nothing of the batch stands. */
  readonly attempt: (batch: WriterBatch) => Promise<readonly number[] | null>;
};

export type WriterBatch = Omit<LogBatch, "fence"> & { readonly release?: true };

export class Lost extends Error {
  override readonly name = "Lost";
}

type Options = {
  readonly store: Store;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** How often readers look by themselves, in case a wake from another process was lost. */
  readonly pollMs?: number;
};

/**
 * A stream that was written to a moment ago waits this long, and its deltas gather into one row and one socket write; one
 * that was silent for longer does not wait. Those that wait do so until the same ticks, so one transaction takes them all.
 */
const GAP_MS = 15;
const TICK_MS = 10;

/** Text of one part that waits for its transaction. */
type Delta = { readonly head: string; text: string };
type Pending = { readonly entry: Entry; readonly deltas: Delta[] };
type Stored = { readonly batch: Batch; readonly bodies: readonly string[] };

export function createLog({ store, clock, onError, pollMs = 2000 }: Options): Log {
  const readers = createReaders(store, onError);
  const fresh = new Map<StreamName, Row[]>();
  const drivers: ((threads: readonly string[]) => void)[] = [];
  const drive = (threads: readonly string[]) => drivers.forEach((callback) => callback(threads));
  const expectant: ((batch: LogBatch) => void)[] = [];

  const group = createGroup({
    store,
    clock,
    published: () => {
      for (const [stream, rows] of fresh) readers.publish(stream, rows);
      fresh.clear();
    },
  });

  const collect = ({ batch, bodies }: Stored, seqs: readonly number[]): void => {
    for (const [index, { stream }] of batch.events.entries()) {
      const row = { seq: seqs[index] ?? 0, body: bodies[index] ?? "" };
      const rows = fresh.get(stream);
      if (rows) rows.push(row);
      else fresh.set(stream, [row]);
    }
    if (batch.drive?.length) drive(batch.drive);
  };

  const submit = (stored: Stored): Promise<Committed> =>
    new Promise((resolve, reject) => {
      const settle = (result: Committed) => {
        if (result.ok) collect(stored, result.seqs);
        resolve(result);
      };
      group.add({ batch: () => stored.batch, settle, fail: reject, dueAt: AT_ONCE });
    });

  const open = ({ threadId, epoch, onLost }: WriterOptions): Writer => {
    const stream = threadStream(threadId);
    let pending: Pending | undefined;
    /** From when on the next delta may be written: a gap after the last one, and not while one is on its way. */
    let freeAt = AT_ONCE;
    let lost: Error | undefined;
    const lose = (error: Error): Error => {
      if (!lost) onLost((lost = error));
      return lost;
    };

    const free = (at: number): void => {
      freeAt = at;
      if (pending && pending.entry.dueAt !== AT_ONCE) pending.entry.dueAt = at;
    };

    const addPending = (dueAt: number): Pending => {
      const deltas: Delta[] = [];
      let stored: Stored | undefined;
      const entry: Entry = {
        dueAt,
        batch: () => {
          if (pending?.entry === entry) pending = undefined;
          freeAt = Infinity;
          const bodies = deltas.map(({ head, text }) => `${head}${JSON.stringify(text)}}`);
          const events = bodies.map((body): PlannedEvent => ({ stream, body, transient: true }));
          stored = { batch: { fence: { stream, epoch }, events, writes: [] }, bodies };
          return stored.batch;
        },
        settle: (result) => {
          free(Math.ceil((clock.monotonic() + GAP_MS) / TICK_MS) * TICK_MS);
          if (result.ok && stored) collect(stored, result.seqs);
          else lose(new Lost("the lease of this thread was taken by another"));
        },
        fail: (error) => {
          free(AT_ONCE);
          lose(error);
        },
      };
      group.add(entry);
      return { entry, deltas };
    };

    const attempt = async ({ release, ...batch }: WriterBatch): Promise<readonly number[] | null> => {
      if (lost) throw lost;
      if (pending) group.hasten(pending.entry);
      pending = undefined;
      const fence: Fence = release ? { stream, epoch, release } : { stream, epoch };
      const result = await submit(toStored({ ...batch, fence })).catch((error: Error) => {
        throw lose(error);
      });
      if (result.ok) return result.seqs;
      if (result.why === "fenced") throw lose(new Lost("the lease of this thread was taken by another"));
      return null;
    };

    let seen = "";
    return {
      append: (head, text) => {
        if (lost) return;
        const { deltas } = (pending ??= addPending(head === seen ? freeAt : AT_ONCE));
        seen = head;
        const last = deltas.at(-1);
        if (last?.head === head) last.text += text;
        else deltas.push({ head, text });
      },
      attempt,
      commit: async (batch) => {
        const seqs = await attempt(batch);
        if (!seqs) throw lose(new Lost("the thread's state is no longer what this run left"));
        return seqs;
      },
    };
  };

  store.onForeignCommit((streams, threads) => {
    readers.wake(streams);
    if (threads.length) drive(threads);
  });
  const poll = setInterval(() => void look().catch(onError), pollMs).unref();
  const look = async (): Promise<void> => {
    const heads = await store.read.heads(readers.streams());
    readers.wake(
      [...heads].flatMap(([stream, head]) =>
        head > readers.cursorOf(stream as StreamName) ? [stream as StreamName] : [],
      ),
    );
  };

  return {
    commit: (batch) => {
      const committed = submit(toStored(batch));
      if (batch.drive?.length) for (const callback of expectant) callback(batch);
      return committed;
    },
    open,
    watch: readers.watch,
    onDrive: (callback) => void drivers.push(callback),
    onComing: (callback) => void expectant.push(callback),
    stats: () => ({ ...group.stats, readers: readers.count() }),
    close: async () => {
      clearInterval(poll);
      await group.drain();
    },
  };
}

/** A settled part is stored once, in `parts`; its event only names it, and is filled in on reading. */
function toStored(batch: LogBatch): Stored {
  const events: PlannedEvent[] = [];
  const bodies: string[] = [];
  const writes: Write[] = [...batch.writes];
  for (const { stream, event, transient = false, tokens = 0 } of batch.events) {
    if (event.type !== "part-settled") {
      const body = JSON.stringify(event);
      const about = stream.startsWith("user:") ? subjectOf(event) : undefined;
      events.push({ stream, body, transient, ...(about === undefined ? {} : { about }) });
      bodies.push(body);
      continue;
    }
    const { part, ...named } = event;
    const partBody = JSON.stringify(part);
    const body = JSON.stringify(named);
    const whole = withPart(body, partBody);
    const thread = stream.slice("thread:".length);
    const { kind, n, v } = part;
    writes.push({
      do: "put",
      table: "parts",
      row: { thread, message: event.messageId, n, v, kind, tokens, body: partBody },
    });
    events.push(
      transient ? { stream, body: whole, transient } : { stream, body, part: { message: event.messageId, n } },
    );
    bodies.push(whole);
  }
  return { batch: { ...batch, events, writes }, bodies };
}

/** What an event of a person's list speaks of: a thread by its id, a project by its stream. */
const subjectOf = (event: LogEvent): string | undefined => {
  if (event.type === "thread-created") return event.thread.id;
  if (event.type === "project-changed") return projectStream(event.projectId);
  return "threadId" in event ? (event.threadId ?? undefined) : undefined;
};
