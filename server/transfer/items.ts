import type { ImportFormat } from "../../protocol/account/imports.ts";
import type { MemoryField } from "../../protocol/memory.ts";
import type { Sources } from "../../protocol/context/untrusted.ts";
import type { PlainRow, ProjectRow, TableRow, ThreadRow } from "./tables.ts";

/** One item of an import file. Items are numbered; an import resumes after the last stored number. */
export type Unit = NoteUnit | MemoryUnit | ThreadUnit | ProjectUnit | OutlineUnit;

type NoteUnit = { readonly kind: "note"; readonly text: string };

/** Something that the file says about the user. It is stored only when the user confirms it. */
type MemoryUnit = { readonly kind: "memory"; readonly field: MemoryField; readonly text: string };

export type ThreadUnit = {
  readonly kind: "thread";
  /** The program that wrote it. */
  readonly format: ImportFormat;
  readonly notes: readonly string[];
  /** Its id in the file, or one derived from it if that is not a valid id. */
  readonly id: string;
  readonly head: Omit<ThreadRow, "id">;
  /** Ids of its messages. If a thread of the user has all of them, the conversation was imported before. */
  readonly messages: readonly string[];
  readonly files: readonly UnitFile[];
  readonly rows: (place: ImportTarget) => AsyncIterable<TableRow> | Iterable<TableRow>;
};

export type ProjectUnit = {
  readonly kind: "project";
  readonly id: string;
  readonly head: Omit<ProjectRow, "id">;
  readonly rows: (place: ImportTarget) => AsyncIterable<TableRow> | Iterable<TableRow>;
};

/** A project of another program, which is created as a user creates one. */
export type OutlineUnit = {
  readonly kind: "outline";
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly documents: readonly { readonly title: string; readonly body: string }[];
};

export type UnitFile = {
  /** In `import_files` rows; the hash of a content that rows of an archive refer to. */
  readonly key: string;
  readonly name: string;
  /** Rows of the file are in the archive, and only its content is stored. */
  readonly isContent: boolean;
  /** Writes it to the path. Rejects if there is no such file. */
  readonly write: (path: string) => Promise<{ readonly sizeBytes: number; readonly hash: string }>;
};

/** Where a thread or project is stored. */
export type ImportTarget = {
  readonly id: string;
  readonly owner: string;
  /** The id in the file is in use, so ids that must be unique in the database are replaced. */
  readonly isCopy: boolean;
  /** Untrusted sources that are added to everything. */
  readonly untrusted: Sources;
};

/** Messages of the process that reads a file. */
export type ReadRequest = {
  readonly path: string;
  readonly name: string;
  /** Distinguishes readers of different imports. */
  readonly importId: string;
  readonly folder: string;
  /** Units that are done. */
  readonly position: number;
  /** For the thread or project that was sent last; null: it is skipped. */
  readonly place?: ImportTarget | null;
  readonly now: number;
};

export type ReadReply =
  /** The first reply. `signed`: the digest and the signature of an archive that Stonechat wrote. */
  | { readonly kind: "opened"; readonly signed: ArchiveSignature | null }
  | { readonly kind: "note"; readonly position: number; readonly text: string }
  | { readonly kind: "memory"; readonly position: number; readonly field: MemoryField; readonly text: string }
  | (Omit<ThreadUnit, "rows" | "files"> & { readonly position: number; readonly hasFiles: boolean })
  | (Omit<ProjectUnit, "rows"> & { readonly position: number; readonly hasFiles: boolean })
  | (OutlineUnit & { readonly position: number })
  | {
      readonly kind: "file";
      readonly key: string;
      readonly name: string;
      readonly isContent: boolean;
      /** null: it could not be read, for this reason. */
      readonly content: { readonly path: string; readonly sizeBytes: number; readonly hash: string } | null;
      readonly reason: string;
    }
  | {
      readonly kind: "rows";
      readonly rows: readonly TableRow[];
      readonly isLast: boolean;
      readonly notes: readonly string[];
    }
  /** The whole file cannot be imported. */
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "end"; readonly position: number };

export type ArchiveSignature = { readonly digest: string; readonly signature: string };

/** The files of a message, which become its parts from `n` on when they are stored. */
export type FilesRow = PlainRow & { readonly message: string; readonly n: number; readonly keys: string };
