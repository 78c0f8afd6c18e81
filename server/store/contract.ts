import type { StreamName } from "../../protocol/ids.ts";
import type { Reads } from "./reads/reads.ts";
export { runWaiting, toOptionColumns, toThreadOptions } from "./codes.ts";
export type { Reads } from "./reads/reads.ts";
export type { FactorCounts } from "./reads/accounts.ts";
export { toHighest, type Membership } from "./reads/members.ts";
export type { GlobalTable, ScopedTable } from "./reads/transfer.ts";
export type { Segment } from "./reads/paths.ts";
export type { AttachmentPicture, WaitingAttachment } from "./reads/attachments.ts";
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
 * The database interface. SQLite and PostgreSQL implement it, and one test suite runs against both. All writes go through
 * `commit`: a list of batches, one transaction, one result per batch. Both share the query code. SQL stays in this folder.
 */
export type Store = {
  readonly kind: "sqlite" | "postgres";
  /**
   * Commits all batches in one transaction, durable when it resolves. A batch that is fenced, conflicts or cannot be stored
   * fails alone; the others are committed. Rejects only when the database itself failed. Then the outcome is unknown.
   */
  readonly commit: (batches: readonly Batch[]) => Promise<readonly BatchResult[]>;
  readonly read: Reads;
  /** Extends this holder's leases of these streams, by the database's clock. The only write outside the log. */
  readonly renewLeases: (holder: string, streams: readonly StreamName[], ttlMs: number) => Promise<void>;
  /** Called when another process committed, with the changed streams (null: unknown) and the threads to drive. */
  readonly onForeignCommit: (
    callback: (streams: readonly StreamName[] | null, drive: readonly string[]) => void,
  ) => void;
  /**
   * Sends a short text to the other processes. It is not stored, and is lost if a connection is lost. With SQLite there is no other
   * process.
   */
  readonly sendNotice: (text: string) => void;
  readonly onNotice: (callback: (text: string) => void) => void;
  /** Milliseconds since 1970 by the database's clock. Null if that is this machine's clock. */
  readonly readTime: (() => Promise<number>) | null;
  /** Resolves when the database accepts writes and no damage is known. Otherwise rejects with the reason. */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Logs messages from startup and background work. */
export type Report = (level: "info" | "warn" | "error", message: string) => void;

/** Days after which backups made before migrations are removed. */
export const BACKUP_DAYS = 14;

/** Placeholder for the seq that the transaction assigns to the batch's event with this index. */
export type SeqOf = { readonly seqOf: number };

/**
 * Placeholder for bytes of a local file, stored as base64. They are read when the row is written, so they are not held in
 * memory. The file must exist until the commit has resolved.
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
      /** Do nothing if a row with the same primary key or unique index entry exists. */
      readonly ifAbsent?: true;
    }
  | { readonly do: "put"; readonly table: T; readonly row: Columns<T> }
  | {
      readonly do: "update";
      readonly table: T;
      readonly set: Partial<Columns<T>>;
      readonly where: Where<T>;
      /** The batch fails with `missing` unless exactly one row matched. */
      readonly expectOne?: true;
    }
  | { readonly do: "delete"; readonly table: T; readonly where: Where<T> };

export type Write = { [T in Table]: WriteTo<T> }[Table];

export type PlannedEvent = {
  readonly stream: StreamName;
  /** JSON. With `part`, the part is omitted here and read from `parts`. */
  readonly body: string;
  readonly transient?: boolean;
  readonly part?: { readonly message: string; readonly n: number };
  /** In the stream of a user or project: the thread or project stream that the event is about. The event is deleted together with it. */
  readonly about?: string;
};

/** The batch is committed only if the stream still has this epoch. */
export type Fence = {
  readonly stream: StreamName;
  readonly epoch: number;
  /** Claim the lease if it is free by the database's clock. Increments the epoch. */
  readonly acquire?: { readonly holder: string; readonly ttlMs: number };
  readonly release?: true;
};

export type Batch = {
  readonly fence?: Fence;
  readonly events: readonly PlannedEvent[];
  readonly writes: readonly Write[];
  /** Revoke the lease of this stream, regardless of its holder. */
  readonly revoke?: StreamName;
  /** Threads with new work in their queue or run. */
  readonly drive?: readonly string[];
};

export type BatchResult =
  | { readonly ok: true; readonly seqs: readonly number[]; readonly epoch: number | null }
  | { readonly ok: false; readonly why: "fenced" | "conflict" | "missing" }
  /** The database rejected the batch, e.g. a value it cannot store. Nothing from the batch is stored. */
  | { readonly ok: false; readonly why: "failed"; readonly message: string };

/** Inserts a settled part into its event's body, identically for live events and replay. */
export const withPart = (body: string, partBody: string): string => `${body.slice(0, -1)},"part":${partBody}}`;
