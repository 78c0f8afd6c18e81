import type { Sources } from "../../protocol/context/untrusted.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Act } from "../../protocol/project/project.ts";
import type { FileLine, FileOp, FileText } from "../../protocol/workspace/workspace.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import {
  commitAct,
  getProjectRow,
  planAct,
  type SnapshotReads,
  type CheckPaths,
  type ActEffect,
} from "../project/project.ts";
import type { Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { writeZip } from "./zip.ts";
import { toBuffer, toFileText } from "./content.ts";
import { checkNames, planOps, planStates } from "./plan-files.ts";
import { toFileLine, toFileLineAt } from "./views.ts";
import { checkPath } from "./check-path.ts";
import { isArchived } from "./protected.ts";

export { planAddPackage, planRemovePackage } from "./builder/change-packages.ts";
export { planDelete, planRename } from "./builder/move-files.ts";
export { searchFiles, viewFile } from "./builder/read-files.ts";
export { planLineEdit, planWrite, type WriteOutput } from "./builder/write-file.ts";
export type { BuilderCall } from "./builder/file-snapshot.ts";
export { expandMarkers } from "./edit/expand-markers.ts";
export { replaceLines, type EditResult, type LineEdit } from "./edit/replace-lines.ts";

/**
 * The files of a project, now and at every version: writes by the user, plans for tools, lists, contents and archives. Files are
 * stored in the database, contents by hash and permanently; nothing here touches a file system. Paths that mean different things
 * on different systems are rejected.
 */
export type Workspaces = ReturnType<typeof createWorkspaces>;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  /** Throws if this user may not store as many bytes more. Default: everyone may. */
  readonly assertRoom?: ((userId: string, addedBytes: number) => Promise<void>) | undefined;
};

type WorkspaceCaller = { readonly userId: string; readonly projectId: string; readonly untrusted?: Sources };

const theUser = { by: "person", threadId: null, runId: null } as const;
const BLOBS_AT_ONCE = 40;

export function createWorkspaces({ store, log, clock, assertRoom }: Options) {
  const { read } = store;

  const act = (caller: WorkspaceCaller, id: string, input: unknown, make: Make) =>
    commitAct(log, () => {
      const now = clock.now();
      return planAct(read, { untrusted: [], ...caller, id, input, author: theUser, now }, async (reads, project) =>
        make({ reads, project, now, files: await reads.files(project.id) }),
      );
    });

  return {
    /** Sorted by path. `at`: the files at that seq. */
    list: (userId: string, projectId: string, at?: number): Promise<{ seq: number; files: FileLine[] }> =>
      read.together(async (reads) => {
        const { seq } = await getProjectRow(reads, userId, projectId, "read");
        if (at === undefined) return { seq, files: (await reads.files(projectId)).map(toFileLine) };
        return { seq: Math.min(at, seq), files: (await reads.filesAt(projectId, at)).map(toFileLineAt) };
      }),

    get: (userId: string, projectId: string, given: string, at?: number): Promise<FileText> =>
      read.together(async (reads) => {
        await getProjectRow(reads, userId, projectId, "read");
        const path = checkPath(given);
        const line = await findLine(reads, projectId, path, at);
        const blob = line && (await reads.blob(projectId, line.hash));
        if (!line || !blob)
          throw new ApiError("not-found", `There is no file ${path}${at === undefined ? "" : " in this version"}.`);
        return { ...line, ...toFileText(blob) };
      }),

    /** Atomic, as one act of the user. `untrusted`: sources of texts that the user did not write. */
    write: async (
      userId: string,
      projectId: string,
      { id, ops }: { id: string; ops: readonly FileOp[] },
      untrusted: Sources = [],
    ) => {
      const addedBytes = ops.reduce((sum, op) => sum + (op.do === "write" ? countBytes(op) : 0), 0);
      if (assertRoom && addedBytes > 0) {
        const project = await getProjectRow(read, userId, projectId, "change");
        await assertRoom(project.owner, addedBytes);
      }
      const done = await act({ userId, projectId, untrusted }, id, { ops }, async ({ files, now }) => ({
        ...planOps({ projectId, files, now }, ops),
        text: describeOps(ops, files),
      }));
      const paths = done.act.changes.map((change) => change.id);
      return { act: done.act, files: (await read.filesByPath(projectId, paths)).map(toFileLine) };
    },

    /** Restores all files of a seq. Later changes are reverted; undoing this act restores them. */
    restore: async (
      userId: string,
      projectId: string,
      { id, seq }: { id: string; seq: number },
    ): Promise<{ act: Act }> => {
      const done = await act({ userId, projectId }, id, { restore: seq }, async ({ reads, project, files, now }) => {
        if (seq > project.seq) throw new ApiError("invalid", "This version of the project does not exist yet.");
        const lines = (await reads.filesAt(projectId, seq)).map(toFileLineAt);
        const states = new Map(lines.map((line) => [line.path, line]));
        return {
          ...planStates({ projectId, files, now }, states, new Map()),
          text: "Restored the files of an earlier version",
        };
      });
      return { act: done.act };
    },

    /** A ZIP of all files. The same files give the same bytes. */
    archive: async (userId: string, projectId: string): Promise<{ readonly name: string; readonly bytes: Buffer }> => {
      const { name, files } = await read.together(async (reads) => ({
        name: (await getProjectRow(reads, userId, projectId, "read")).name,
        files: (await reads.files(projectId)).filter(({ path }) => isArchived(path)),
      }));
      const contents = new Map<string, Buffer>();
      for (let start = 0; start < files.length; start += BLOBS_AT_ONCE) {
        const hashes = files.slice(start, start + BLOBS_AT_ONCE).map(({ hash }) => hash);
        for (const blob of await read.blobs(projectId, hashes)) contents.set(blob.hash, toBuffer(blob));
      }
      const entries = files.map(({ path, hash }) => {
        const bytes = contents.get(hash);
        if (!bytes) throw new Error(`The content of ${path} is missing (hash ${hash}).`);
        return { path: checkPath(path), bytes };
      });
      return { name: toArchiveName(name), bytes: await writeZip(entries) };
    },
  };
}

/** Checks restored paths against files that were added since. */
export const checkPaths: CheckPaths = async (reads, projectId, { added, gone }) => {
  const isGone = new Set(gone);
  const isAdded = new Set(added);
  const others = (await reads.files(projectId)).map(({ path }) => path);
  checkNames(
    others.filter((path) => !isGone.has(path) && !isAdded.has(path)),
    added,
  );
};

type Make = (situation: {
  readonly reads: SnapshotReads;
  readonly project: RowOf<"projects">;
  readonly files: readonly RowOf<"files">[];
  readonly now: number;
}) => Promise<ActEffect>;

async function findLine(
  reads: SnapshotReads,
  projectId: string,
  path: string,
  at?: number,
): Promise<FileLine | undefined> {
  if (at === undefined) {
    const row = await reads.file(projectId, path);
    return row && toFileLine(row);
  }
  const row = await reads.fileAt(projectId, path, at);
  return row && toFileLineAt(row);
}

/** ASCII only: the name is used in a header and on any file system. */
const toArchiveName = (name: string): string =>
  `${
    name
      .normalize("NFKD")
      .replace(/[^A-Za-z0-9]+/g, "-")
      .replace(/^-+|(?<!-)-+$/g, "")
      .slice(0, 60) || "workspace"
  }.zip`;

type Paths = readonly { readonly path: string }[];

/** One sentence for the activity log. */
function describeOps(ops: readonly FileOp[], files: Paths): string {
  const [only, ...more] = ops;
  if (only && more.length === 0) return tellOne(only, files);
  const counts = Map.groupBy(ops, (op) => op.do);
  const words = { write: "wrote", rename: "renamed", delete: "deleted" } as const;
  const parts = [...counts].map(
    ([kind, list]) => `${words[kind]} ${list.length} ${list.length === 1 ? "file" : "files"}`,
  );
  const text = parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Bytes of the new content. The bytes that it replaces are not subtracted. */
const countBytes = ({ text = "", base64 }: Extract<FileOp, { do: "write" }>): number =>
  base64 === undefined ? Buffer.byteLength(text) : Math.floor((base64.length * 3) / 4);

function tellOne(op: FileOp, files: Paths): string {
  if (op.do === "delete") return `Deleted ${op.path}`;
  if (op.do === "rename") return `Renamed ${op.path} to ${op.to}`;
  return `${files.some(({ path }) => path === op.path) ? "Changed" : "Created"} ${op.path}`;
}
