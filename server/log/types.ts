import type { ProjectEvent, SettingsEvent, ThreadEvent, UserEvent } from "../../protocol/events.ts";
import type { ProjectStream, settingsStream, StreamName, ThreadStream, UserStream } from "../../protocol/ids.ts";
import type { Batch } from "../store/contract.ts";

/** A committed event. `body` is the JSON that is sent, with the same bytes live and on replay. */
export type Row = { readonly seq: number; readonly body: string };

/**
 * A reader of a stream. `rows` is called in order, once per row. It returns false when full; delivery then pauses until
 * `resume`. So a slow reader costs a cursor, not a queue.
 */
export type Sink = { readonly rows: (rows: readonly Row[]) => boolean };

export type Watcher = { readonly resume: () => void; readonly close: () => void };

export type Watch = (stream: StreamName, after: number, sink: Sink) => Watcher;

export type LogBatch = Omit<Batch, "events"> & { readonly events: readonly LogEntry[] };

/** Every stream has its own kinds of events. */
export type LogEntry =
  | EntryOf<ThreadStream, ThreadEvent>
  | EntryOf<UserStream, UserEvent>
  | EntryOf<ProjectStream, ProjectEvent>
  | EntryOf<typeof settingsStream, SettingsEvent>;

type EntryOf<Stream extends StreamName, Event> = {
  readonly stream: Stream;
  readonly event: Event;
  /** Deleted when its step settles: an intermediate state. */
  readonly transient?: boolean;
  /** Token count of a settled part at the time of writing. */
  readonly tokens?: number;
};
export type CommitResult =
  | { readonly ok: true; readonly seqs: readonly number[]; readonly epoch: number | null }
  | { readonly ok: false; readonly why: "fenced" | "conflict" | "missing" };
