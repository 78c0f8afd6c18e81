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
  /** All files of the workspace. */
  readonly files: readonly RowOf<"files">[];
  readonly now: number;
};

/** The next state of the workspace. Operations are applied in order; the difference to the read files is the act. */
type Draft = {
  readonly states: Map<string, FileState>;
  readonly contents: Map<string, Content>;
  /** Paths written by an operation of this act: their content is known, so `was` is not checked again. */
  readonly own: Set<string>;
  readonly read: ReadonlyMap<string, RowOf<"files">>;
};

/** Throws on the first invalid operation, which discards the whole act. */
export function planOps(situation: Situation, ops: readonly FileOp[]): Omit<ActEffect, "text"> {
  const read = new Map(situation.files.map((file) => [file.path, file]));
  const draft: Draft = { states: new Map(read), contents: new Map(), own: new Set(), read };
  for (const op of ops) apply(draft, op);
  return planStates(situation, draft.states, draft.contents);
}

/** The changes that turn the workspace into these files. */
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
    // New names are also checked against each other.
    exclusive: made.length > 0,
  };
}

function apply(draft: Draft, op: FileOp): void {
  const path = checkPath(op.path);
  checkUnchanged(draft, path, op.was);
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
  if (draft.states.has(to)) throw new ApiError("conflict", `${to} already exists.`, current(draft, to));
  draft.own.add(to);
  draft.states.set(to, state);
}

/** Fails if the file has changed since the writer read it. */
function checkUnchanged(draft: Draft, path: string, was: string | null): void {
  const hash = draft.states.get(path)?.hash ?? null;
  if (hash === was || (draft.own.has(path) && hash !== null)) return;
  if (hash === null) throw new ApiError("conflict", `${path} does not exist.`, null);
  const what = was === null ? `${path} already exists.` : `${path} has changed since you loaded it.`;
  throw new ApiError("conflict", what, current(draft, path));
}

const current = ({ read }: Draft, path: string) => {
  const row = read.get(path);
  return row ? toFileLine(row) : null;
};

/** Throws if a new path conflicts with another one, ignoring case and Unicode form. */
export function checkNames(others: readonly string[], added: readonly string[]): void {
  const names = createNames(others);
  for (const path of added) {
    const clash = names.findConflict(path);
    if (clash !== undefined) throw new ApiError("invalid", `${path} conflicts with another file: ${clash}.`);
    names.add(path);
  }
}

/** A workspace above its limits can still shrink. */
function checkRoom(read: ReadonlyMap<string, FileState>, states: ReadonlyMap<string, FileState>): void {
  if (states.size > workspaceLimits.files && states.size > read.size) {
    throw new ApiError(
      "too-large",
      `A workspace can have at most ${workspaceLimits.files.toLocaleString("en")} files.`,
    );
  }
  const [before, after] = [sum(read), sum(states)];
  if (after > workspaceLimits.totalBytes && after > before) {
    const most = workspaceLimits.totalBytes.toLocaleString("en");
    throw new ApiError(
      "too-large",
      `All files together would have ${after.toLocaleString("en")} bytes. The maximum is ${most}.`,
    );
  }
}

const sum = (states: ReadonlyMap<string, FileState>): number =>
  [...states.values()].reduce((total, { bytes }) => total + bytes, 0);

const toState = ({ hash, bytes, lines }: FileState): FileState => ({ hash, bytes, lines });

/** Expects the hash that was read, so one of two concurrent writes fails. */
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
