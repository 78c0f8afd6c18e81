import type { StreamName } from "../../protocol/ids.ts";
import type { Store } from "../store/contract.ts";
import type { Row, Sink, Watch, Watcher } from "./types.ts";

/** Rows per database read for a reader that is behind. */
const PAGE_ROWS = 200;

/** Maximum characters delivered to a reader at once. */
const CHUNK_CHARACTERS = 256_000;

type Reader = {
  readonly stream: StreamName;
  readonly sink: Sink;
  cursor: number;
  state: "ready" | "reading" | "full" | "closed";
  /** Rows were committed while it was reading or full. */
  behind: boolean;
};

type Readers = {
  readonly watch: Watch;
  /**
   * Delivers rows just committed by this process. A reader positioned right before them gets them directly; others read
   * from the database.
   */
  readonly publish: (stream: StreamName, rows: readonly Row[]) => void;
  /** Rows were or may have been committed by another process; null: in any stream. */
  readonly wake: (streams: readonly StreamName[] | null) => void;
  readonly streams: () => readonly StreamName[];
  /** The lowest cursor among a stream's readers. */
  readonly cursorOf: (stream: StreamName) => number;
  readonly count: () => number;
};

/** A reader is only a cursor; rows it has not consumed stay in the database. */
export function createReaders(store: Pick<Store, "read">, onError: (error: unknown) => void): Readers {
  const byStream = new Map<StreamName, Set<Reader>>();
  let count = 0;

  /** Delivers in chunks, so that a full reader buffers at most one. It reads the rest again later. */
  const deliver = (reader: Reader, rows: readonly Row[]): void => {
    for (let start = 0; start < rows.length && reader.state === "ready";) {
      const chunk = takeChunk(rows, start);
      start += chunk.length;
      reader.cursor = chunk.at(-1)?.seq ?? reader.cursor;
      if (reader.sink.rows(chunk) || isClosed(reader)) continue;
      reader.state = "full";
      reader.behind = true;
    }
  };

  const catchUp = async (reader: Reader): Promise<void> => {
    if (reader.state !== "ready") {
      reader.behind = true;
      return;
    }
    reader.state = "reading";
    try {
      for (let more = true; more;) {
        reader.behind = false;
        const rows = await store.read.events(reader.stream, reader.cursor, PAGE_ROWS);
        if (isClosed(reader)) return;
        reader.state = "ready";
        deliver(reader, rows);
        more = reader.state === "ready" && (rows.length === PAGE_ROWS || reader.behind);
        if (more) reader.state = "reading";
      }
    } catch (error) {
      if (isClosed(reader)) return;
      reader.state = "ready";
      reader.behind = true;
      onError(error);
    }
  };

  const isClosed = (reader: Reader): boolean => reader.state === "closed";

  const watch: Watch = (stream, after, sink): Watcher => {
    const reader: Reader = { stream, sink, cursor: after, state: "ready", behind: false };
    const readers = byStream.get(stream) ?? new Set();
    byStream.set(stream, readers.add(reader));
    count += 1;
    void catchUp(reader);
    return {
      resume: () => {
        if (reader.state !== "full") return;
        reader.state = "ready";
        void catchUp(reader);
      },
      close: () => {
        if (reader.state === "closed") return;
        reader.state = "closed";
        readers.delete(reader);
        if (readers.size === 0 && byStream.get(stream) === readers) byStream.delete(stream);
        count -= 1;
      },
    };
  };

  return {
    watch,
    publish: (stream, rows) => {
      const first = rows[0];
      if (!first) return;
      // Another process may have committed in between: then read from the database.
      const whole = (rows.at(-1)?.seq ?? 0) - first.seq === rows.length - 1;
      for (const reader of byStream.get(stream) ?? []) {
        const fits = whole && reader.cursor === first.seq - 1;
        if (fits && reader.state === "ready" && !reader.behind) deliver(reader, rows);
        else void catchUp(reader);
      }
    },
    wake: (streams) => {
      for (const stream of streams ?? byStream.keys()) {
        for (const reader of byStream.get(stream) ?? []) void catchUp(reader);
      }
    },
    streams: () => [...byStream.keys()],
    cursorOf: (stream) => Math.min(...[...(byStream.get(stream) ?? [])].map((reader) => reader.cursor)),
    count: () => count,
  };
}

function takeChunk(rows: readonly Row[], start: number): readonly Row[] {
  let size = 0;
  let end = start;
  while (end < rows.length && (end === start || size < CHUNK_CHARACTERS)) size += rows[end++]?.body.length ?? 0;
  return start === 0 && end === rows.length ? rows : rows.slice(start, end);
}
