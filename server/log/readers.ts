import type { StreamName } from "../../protocol/ids.ts";
import type { Store } from "../store/contract.ts";
import type { Row, Sink, Watch, Watcher } from "./types.ts";

/** Rows read from the database at once for a reader that is behind. */
const PAGE = 200;

/** Characters handed to a reader at once. */
const BITE = 256_000;

type Reader = {
  readonly stream: StreamName;
  readonly sink: Sink;
  cursor: number;
  state: "ready" | "reading" | "full" | "closed";
  /** Something was committed while it was reading or full. */
  behind: boolean;
};

export type Readers = {
  readonly watch: Watch;
  /** Rows just committed here. A reader that stands right before them gets them as they are; another reads from the rows. */
  readonly publish: (stream: StreamName, rows: readonly Row[]) => void;
  /** Something was committed elsewhere, or may have been: null is every stream. */
  readonly wake: (streams: readonly StreamName[] | null) => void;
  readonly streams: () => readonly StreamName[];
  /** The lowest cursor among a stream's readers. */
  readonly cursorOf: (stream: StreamName) => number;
  readonly count: () => number;
};

/** Readers hold a cursor and nothing else: what they have not taken stays in the database. */
export function createReaders(store: Pick<Store, "read">, onError: (error: unknown) => void): Readers {
  const byStream = new Map<StreamName, Set<Reader>>();
  let count = 0;

  /** In bites, so that a reader that fills up holds one of them at most. What it has not taken it reads again later. */
  const give = (reader: Reader, rows: readonly Row[]): void => {
    for (let start = 0; start < rows.length && reader.state === "ready";) {
      const bite = takeBite(rows, start);
      start += bite.length;
      reader.cursor = bite.at(-1)?.seq ?? reader.cursor;
      if (reader.sink.rows(bite) || isClosed(reader)) continue;
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
        const rows = await store.read.events(reader.stream, reader.cursor, PAGE);
        if (isClosed(reader)) return;
        reader.state = "ready";
        give(reader, rows);
        more = reader.state === "ready" && (rows.length === PAGE || reader.behind);
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
      // Another process may have committed between two of these: then the rows tell, not the commit.
      const whole = (rows.at(-1)?.seq ?? 0) - first.seq === rows.length - 1;
      for (const reader of byStream.get(stream) ?? []) {
        const fits = whole && reader.cursor === first.seq - 1;
        if (fits && reader.state === "ready" && !reader.behind) give(reader, rows);
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

function takeBite(rows: readonly Row[], start: number): readonly Row[] {
  let size = 0;
  let end = start;
  while (end < rows.length && (end === start || size < BITE)) size += rows[end++]?.body.length ?? 0;
  return start === 0 && end === rows.length ? rows : rows.slice(start, end);
}
