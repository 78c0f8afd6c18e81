import type { StreamName } from "../../protocol/ids.ts";
import type { Reads } from "./reads/reads.ts";
export { runWaiting, toOptionColumns, toThreadOptions } from "./codes.ts";
export type { Reads } from "./reads/reads.ts";
export type { Segment } from "./reads/paths.ts";
export type { WaitingAttachment } from "./reads/attachments.ts";
export type { FileAtRow } from "./reads/projects/files.ts";
export type {
  ActRow,
  CountRow,
  FileRow,
  HubRow,
  LinkRow,
  OutlineRow,
  ProjectRow,
  RelationRow,
  DigestChangeRow,
  DigestTimes,
  TouchedRow,
} from "./reads/projects/digest.ts";
import type { Table, Tables } from "./schema.ts";

/**
 * What a database must do for us; both keep every word of it, shown by one suite. Writing has one verb, `commit`: batches in,
 * one transaction, a result for each batch. Reading is the same query code for both. SQL stays in this folder.
 */
export type Store = {
  readonly kind: "sqlite" | "postgres";
  /**
   * All batches in one transaction, durable when it resolves. A batch that is fenced off, conflicts or cannot be stored
   * fails alone: the others stand. Rejects only when the database itself failed; then nothing of any batch may be assumed.
   */
  readonly commit: (batches: readonly Batch[]) => Promise<readonly BatchResult[]>;
  readonly read: Reads;
  /** Extends this holder's leases of these streams, by the database's clock. The one write outside the log. */
  readonly renewLeases: (holder: string, streams: readonly StreamName[], ttlMs: number) => Promise<void>;
  /** Calls back when another process committed: the streams it touched (null: any), and the threads to drive. */
  readonly onForeignCommit: (
    callback: (streams: readonly StreamName[] | null, drive: readonly string[]) => void,
  ) => void;
  /** Resolves when the database takes writes and no damage is known; rejects with the reason otherwise. */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Notes for the log, from startup and background work. */
export type Report = (level: "info" | "warn" | "error", message: string) => void;

/** Copies made before migrations are removed after so many days. */
export const BACKUP_DAYS = 14;

/** A value that is known only inside the transaction: the seq given to the batch's event of this index. */
export type SeqOf = { readonly seqOf: number };

/**
 * Bytes of a file on this machine as base64, read when the row is written: they never wait in memory. The file must stay
 * until the commit has resolved.
 */
export type FilePiece = { readonly file: string; readonly from: number; readonly lengthBytes: number };

type Value<T> = T | SeqOf | (string extends T ? FilePiece : never);
type Columns<T extends Table> = { readonly [C in keyof Tables[T]]: Value<Tables[T][C]> };
type Where<T extends Table> = { readonly [C in keyof Tables[T]]?: Tables[T][C] | { readonly gt: number } };

type WriteTo<T extends Table> =
  | {
      readonly do: "insert";
      readonly table: T;
      readonly row: Columns<T>;
      /** Nothing happens, and the batch stands, when a row is in its way: by the key or by any other unique index. */
      readonly ifAbsent?: true;
    }
  | { readonly do: "put"; readonly table: T; readonly row: Columns<T> }
  | {
      readonly do: "update";
      readonly table: T;
      readonly set: Partial<Columns<T>>;
      readonly where: Where<T>;
      /** The batch fails as `missing` unless exactly one row was there. */
      readonly expectOne?: true;
    }
  | { readonly do: "delete"; readonly table: T; readonly where: Where<T> };

export type Write = { [T in Table]: WriteTo<T> }[Table];

export type PlannedEvent = {
  readonly stream: StreamName;
  /** JSON. With `part`, the part itself is left out here and read from `parts`. */
  readonly body: string;
  readonly transient?: boolean;
  readonly part?: { readonly message: string; readonly n: number };
  /** The thread, or the project's stream, that an event of the list speaks of: it goes when that does. */
  readonly about?: string;
};

/** The holder's claim: the batch stands only while the stream's epoch is this one. */
export type Fence = {
  readonly stream: StreamName;
  readonly epoch: number;
  /** Take the lease, if it is free by the database's clock; the epoch rises by one. */
  readonly acquire?: { readonly holder: string; readonly ttlMs: number };
  readonly release?: true;
};

export type Batch = {
  readonly fence?: Fence;
  readonly events: readonly PlannedEvent[];
  readonly writes: readonly Write[];
  /** Void the lease of this stream, whoever holds it. */
  readonly revoke?: StreamName;
  /** Threads whose inbox or run has something new to do. */
  readonly drive?: readonly string[];
};

export type BatchResult =
  | { readonly ok: true; readonly seqs: readonly number[]; readonly epoch: number | null }
  | { readonly ok: false; readonly why: "fenced" | "conflict" | "missing" }
  /** The database refuses the batch itself, e.g. a value it cannot hold. A bug or a limit; nothing of the batch is stored. */
  | { readonly ok: false; readonly why: "failed"; readonly message: string };

/** The settled part goes into its event's body here, the same way live and on replay. */
export const withPart = (body: string, partBody: string): string => `${body.slice(0, -1)},"part":${partBody}}`;
