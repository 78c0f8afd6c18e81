import type { StreamName } from "../../protocol/ids.ts";

/** A committed event: `body` is the JSON that is sent, the same bytes live and on replay. */
export type Row = { readonly seq: number; readonly body: string };

/**
 * A reader of a stream. `rows` are given in order, each once. It answers false when it is full: nothing more comes until it
 * calls `resume`. So a slow reader holds a number, not a queue.
 */
export type Sink = { readonly rows: (rows: readonly Row[]) => boolean };

export type Watcher = { readonly resume: () => void; readonly close: () => void };

export type Watch = (stream: StreamName, after: number, sink: Sink) => Watcher;
