import type { Sources } from "../../../protocol/context/untrusted.ts";
import type { FileOp } from "../../../protocol/workspace/workspace.ts";
import { findProjectAccess } from "../../auth/access.ts";
import { toKey } from "../../lib/file-names.ts";
import type { LogEntry } from "../../log/log.ts";
import { listProjectSources, planAct, toKeyedId, type SnapshotReads, type ActEffect } from "../../project/project.ts";
import { findAddedPlaceholder } from "../../redact/redact.ts";
import type { Reads, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { planOps, type FileState } from "../plan-files.ts";
import { checkPath } from "../check-path.ts";
import { findProtection, toProtectedText } from "../protected.ts";

/** The part of a tool call's context that work on files needs. */
export type BuilderCall = {
  readonly read: Reads;
  readonly userId: string;
  readonly threadId: string;
  readonly projectId: string | null;
  readonly isShared: boolean;
  readonly runId: string;
  readonly key: string;
  readonly signal: AbortSignal;
  /** Untrusted sources that the model had read when it made the call. */
  readonly untrusted: Sources;
  /** Records the untrusted sources of text that the call reads. */
  readonly noteSources: (sources: Sources) => void;
  readonly now: number;
};

/** The files of a workspace at one moment. */
export type FileSnapshot = {
  readonly files: readonly RowOf<"files">[];
  readonly find: (path: string) => RowOf<"files"> | undefined;
  /** Throws with similar paths if there is no such file. */
  readonly get: (path: string) => RowOf<"files">;
  readonly readText: (file: Pick<RowOf<"files">, "path" | "hash">) => Promise<string>;
  /** The file's texts before its last few changes, newest first. */
  readonly readEarlier: (path: string) => Promise<readonly string[]>;
};

/** The changes of a call, their sentence and the tool output. */
type CallEffect<O> = { readonly ops: readonly FileOp[]; readonly text: string; readonly output: O };
type ToolEffect<O> = {
  readonly output: O & { readonly actId?: string };
  readonly commit: { readonly writes: readonly Write[]; readonly events: readonly LogEntry[] };
};

const NO_PROJECT =
  "This thread belongs to no project, and files belong to projects. Only the user can choose a project for this thread or create one.";

export function getProjectId({ projectId }: Pick<BuilderCall, "projectId">): string {
  if (projectId === null) throw new Error(NO_PROJECT);
  return projectId;
}

/** Plans one act under the call's key, to be committed with the call's result. */
export async function planCall<O extends object>(
  call: BuilderCall,
  input: unknown,
  work: (snapshot: FileSnapshot) => Promise<CallEffect<O>>,
): Promise<ToolEffect<O>> {
  const { read, userId, threadId, runId, key, untrusted, now } = call;
  const projectId = getProjectId(call);
  const author = { by: "run", threadId, runId } as const;
  const request = { userId, projectId, id: toKeyedId(key), input, author, untrusted, now };
  const plan = await planAct(read, request, async (reads, project): Promise<ActEffect & { readonly output: O }> => {
    call.noteSources(await listProjectSources(reads, project, call.isShared));
    const files = await reads.files(projectId);
    const { ops, text, output } = await work(openSnapshot(reads, call, files));
    return { ...planOps({ projectId, files, now }, ops), text, output };
  });
  const { writes, events, effect, act } = plan;
  // An act is committed with its result, so a committed call is not made again.
  if (!effect) throw new Error("This call was already committed.");
  const output = effect.changes.length === 0 ? effect.output : { ...effect.output, actId: act.id };
  return { output, commit: { writes, events } };
}

/** Read-only. */
export async function withSnapshot<T>(call: BuilderCall, look: (snapshot: FileSnapshot) => Promise<T>): Promise<T> {
  const projectId = getProjectId(call);
  const { access, files } = await call.read.together(async (reads) => ({
    access: await findProjectAccess(reads, call.userId, await reads.project(projectId)),
    files: await reads.files(projectId),
  }));
  if (!access?.role) throw new Error("This thread's project no longer exists. Ask the user to choose another.");
  call.noteSources(await listProjectSources(call.read, access.row, call.isShared));
  // Contents are immutable by hash, so they can be read outside the snapshot.
  return look(openSnapshot(call.read, call, files));
}

/** How stale line numbers may be: `any` changes by anyone, `own` changes by this run. */
const EARLIER = { any: 4, own: 40, bytes: 2_000_000 };

type ContentReads = Pick<SnapshotReads, "blob" | "blobs" | "fileBefore">;

function openSnapshot(reads: ContentReads, call: BuilderCall, files: readonly RowOf<"files">[]): FileSnapshot {
  const projectId = getProjectId(call);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    files,
    find: (path) => byPath.get(path),
    get: (path) => {
      const file = byPath.get(path);
      if (file) return file;
      throw new Error(toMissing(path, files));
    },
    readText: async ({ path, hash }) => {
      const blob = await reads.blob(projectId, hash);
      if (blob?.encoding === "text") return blob.body;
      throw new Error(`${path} is not text.`);
    },
    readEarlier: async (path) => {
      const changes = await reads.fileBefore(projectId, path, EARLIER.own);
      const own = changes.findLastIndex(({ run }) => run === call.runId) + 1;
      let bytes = 0;
      const states = changes.slice(0, Math.max(own, EARLIER.any)).flatMap(({ before }, n) => {
        const state = before === null ? undefined : (JSON.parse(before) as FileState);
        bytes += state?.bytes ?? 0;
        return state && (n < EARLIER.any || bytes <= EARLIER.bytes) ? [state] : [];
      });
      const blobs = await reads.blobs(
        projectId,
        states.map(({ hash }) => hash),
      );
      return states.flatMap(({ hash }) => {
        const blob = blobs.find((one) => one.hash === hash);
        return blob?.encoding === "text" ? [blob.body] : [];
      });
    },
  };
}

/** Throws if tools may not access the path. */
export function openPath(given: string): string {
  const path = checkPath(given);
  const protection = findProtection(path);
  if (protection !== undefined) throw new Error(toProtectedText(path, protection));
  return path;
}

const nameOf = (path: string): string => toKey(path.slice(path.lastIndexOf("/") + 1));

function toMissing(path: string, files: readonly RowOf<"files">[]): string {
  const inside = files.filter((file) => file.path.startsWith(`${path}/`)).map((file) => file.path);
  if (inside.length > 0) return `${path} is a folder. In it: ${listPaths(inside)}.`;
  const alike = files.map((file) => file.path).filter((other) => nameOf(other) === nameOf(path));
  if (alike.length > 0) return `There is no file ${path}. Similar: ${listPaths(alike)}.`;
  const all = files.map((file) => file.path).filter((other) => findProtection(other) === undefined);
  return `There is no file ${path}. ${all.length === 0 ? "The workspace is empty." : `There are: ${listPaths(all)}.`}`;
}

const MAX_PATHS = 30;
const listPaths = (paths: readonly string[]): string =>
  paths.length > MAX_PATHS
    ? `${paths.slice(0, MAX_PATHS).join(", ")} and ${paths.length - MAX_PATHS} more`
    : paths.join(", ");

/** A redacted secret must not be overwritten by its placeholder. */
export function refusePlaceholders(path: string, before: string, after: string): void {
  const put = findAddedPlaceholder(before, after);
  if (put === undefined) return;
  throw new Error(
    `${put} is a placeholder for a redacted secret. Writing it into ${path} would overwrite the secret. Edit other lines with replace_lines.`,
  );
}
