import { ApiError } from "../../protocol/errors.ts";
import type { Change } from "../../protocol/project/project.ts";
import { workspaceLimits } from "../../protocol/workspace/limits.ts";
import type { FileOp } from "../../protocol/workspace/workspace.ts";
import { createNames } from "../lib/file-names.ts";
import type { ActEffect } from "../project/project.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { checkPath } from "./check-path.ts";
import { toContent, type Content } from "./content.ts";
import { toFileLine } from "./views.ts";

export type FileState = Pick<RowOf<"files">, "hash" | "bytes" | "lines">;

type Situation = {
  readonly projectId: string;
  /** All of the workspace. */
  readonly files: readonly RowOf<"files">[];
  readonly now: number;
};

/** The workspace as it will be: ops are applied one after the other, and what differs in the end is the act. */
type Draft = {
  readonly states: Map<string, FileState>;
  readonly contents: Map<string, Content>;
  /** Paths that an op of this act has written: what they hold is nobody else's. */
  readonly own: Set<string>;
  readonly read: ReadonlyMap<string, RowOf<"files">>;
};

/** Pure. One that is refused refuses all. */
export function planOps(situation: Situation, ops: readonly FileOp[]): Omit<ActEffect, "text"> {
  const read = new Map(situation.files.map((file) => [file.path, file]));
  const draft: Draft = { states: new Map(read), contents: new Map(), own: new Set(), read };
  for (const op of ops) apply(draft, op);
  return planStates(situation, draft.states, draft.contents);
}

/** Pure. What turns the workspace into these files. */
export function planStates(
  situation: Situation,
  states: ReadonlyMap<string, FileState>,
  contents: ReadonlyMap<string, Content>,
): Omit<ActEffect, "text"> {
  const read = new Map(situation.files.map((file) => [file.path, file]));
  const paths = [...new Set([...read.keys(), ...states.keys()])].toSorted();
  const differing = paths.filter((path) => read.get(path)?.hash !== states.get(path)?.hash);
  const made = differing.filter((path) => !read.has(path));
  const isMade = new Set(made);
  if (made.length > 0)
    checkNames(
      [...states.keys()].filter((path) => !isMade.has(path)),
      made,
    );
  checkRoom(read, states);
  const used = new Set(differing.map((path) => states.get(path)?.hash));
  return {
    changes: differing.map((path): Change => {
      const [before, after] = [read.get(path), states.get(path)];
      return {
        what: "file",
        id: path,
        title: path,
        before: before ? toState(before) : null,
        after: after ? toState(after) : null,
      };
    }),
    writes: [
      ...[...contents.values()]
        .filter(({ hash }) => used.has(hash))
        .map(({ hash, encoding, body }): Write => ({
          do: "insert",
          table: "blobs",
          row: { project: situation.projectId, hash, encoding, body },
          ifAbsent: true,
        })),
      ...differing.flatMap((path) => writeFile(situation, path, read.get(path), states.get(path))),
    ],
    // Of two new names only one may know of the other, and together they must fit.
    exclusive: made.length > 0,
  };
}

function apply(draft: Draft, op: FileOp): void {
  const path = checkPath(op.path);
  checkSeen(draft, path, op.was);
  draft.own.add(path);
  if (op.do === "write") {
    const content = toContent(path, op);
    draft.contents.set(content.hash, content);
    draft.states.set(path, toState(content));
    return;
  }
  const state = draft.states.get(path);
  draft.states.delete(path);
  if (op.do === "delete" || !state) return;
  const to = checkPath(op.to);
  if (draft.states.has(to)) throw new ApiError("conflict", `There is a file ${to} already.`, current(draft, to));
  draft.own.add(to);
  draft.states.set(to, state);
}

/** What has changed since it was seen is not written over. */
function checkSeen(draft: Draft, path: string, was: string | null): void {
  const hash = draft.states.get(path)?.hash ?? null;
  if (hash === was || (draft.own.has(path) && hash !== null)) return;
  if (hash === null) throw new ApiError("conflict", `There is no file ${path}, or no longer.`, null);
  const what = was === null ? `There is a file ${path} already.` : `${path} has changed since you looked.`;
  throw new ApiError("conflict", what, current(draft, path));
}

const current = ({ read }: Draft, path: string) => {
  const row = read.get(path);
  return row ? toFileLine(row) : null;
};

/** Whether new files can stand beside the others, whatever the case and form of their names. */
export function checkNames(others: readonly string[], added: readonly string[]): void {
  const names = createNames(others);
  for (const path of added) {
    const clash = names.findConflict(path);
    if (clash !== undefined) throw new ApiError("invalid", `${path} cannot stand here: ${clash}.`);
    names.add(path);
  }
}

/** A workspace that is over its limits may still shrink. */
function checkRoom(read: ReadonlyMap<string, FileState>, states: ReadonlyMap<string, FileState>): void {
  if (states.size > workspaceLimits.files && states.size > read.size) {
    throw new ApiError("too-large", `A workspace holds at most ${workspaceLimits.files.toLocaleString("en")} files.`);
  }
  const [before, after] = [sum(read), sum(states)];
  if (after > workspaceLimits.totalBytes && after > before) {
    const most = workspaceLimits.totalBytes.toLocaleString("en");
    throw new ApiError(
      "too-large",
      `All files together would have ${after.toLocaleString("en")} bytes, ${most} at most.`,
    );
  }
}

const sum = (states: ReadonlyMap<string, FileState>): number =>
  [...states.values()].reduce((total, { bytes }) => total + bytes, 0);

const toState = ({ hash, bytes, lines }: FileState): FileState => ({ hash, bytes, lines });

/** Only over the content that was read: of two who write at once one is refused. */
function writeFile(
  { projectId, now }: Situation,
  path: string,
  before: FileState | undefined,
  after: FileState | undefined,
): readonly Write[] {
  const set = { ...(after && toState(after)), seq: { seqOf: 0 }, updated_at: now };
  if (!before) {
    if (!after) return [];
    return [{ do: "insert", table: "files", row: { ...set, ...toState(after), project: projectId, path } }];
  }
  const where = { project: projectId, path };
  const over: Write = { do: "update", table: "files", set, where: { ...where, hash: before.hash }, expectOne: true };
  return after ? [over] : [over, { do: "delete", table: "files", where }];
}
