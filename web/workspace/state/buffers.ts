import { ResponseError, type Client } from "../../../protocol/client.ts";
import type { FileLine, FileText } from "../../../protocol/workspace/workspace.ts";
import { createId } from "../../lib/ids.ts";
import { toErrorText, toFailed } from "../../lib/use-load.ts";
import { createSignal, type Signal } from "../../lib/signal.ts";
import { idle, textOf, toBuffer, type BufferState, type TextBuffer } from "./buffer.ts";
import type { Drafts } from "./drafts.ts";

/**
 * The open files. Unsaved edits stay in browser storage until the server has them, a save names the version it is based on,
 * and changes from elsewhere are applied only to files without unsaved edits.
 */
export type Buffers = {
  get(path: string): Signal<BufferState>;
  write(path: string, text: string): void;
  /** If the file has changed, shows that instead. */
  save(path: string): Promise<void>;
  /** The user leaves the file: saves it if possible, else keeps the edits. */
  leave(path: string): void;
  /** Shows both versions if the file has changed. */
  compare(path: string): Promise<void>;
  /** Resolves a conflict with `text`; null: with their version. */
  settle(path: string, text: string | null): Promise<void>;
  /** The files at a seq; later changes are not in the list. */
  follow(files: readonly FileLine[], seq: number): void;
  /** Edits, open or in browser storage, that the server does not have. */
  isUnsaved(path: string): boolean;
  drop(path: string): void;
};

type Options = {
  readonly projectId: string;
  readonly client: Pick<Client, "getFile" | "writeFiles">;
  readonly drafts: Drafts;
};

export function createBuffers({ projectId, client, drafts }: Options): Buffers {
  const signals = new Map<string, Signal<BufferState>>();
  let files: readonly FileLine[] = [];
  let filesSeq = 0;

  const requests = createFileRequests({ projectId, client });
  const { fetchFile } = requests;
  const lineOf = (path: string): FileLine | null => files.find((file) => file.path === path) ?? null;
  const textBuffer = (path: string): TextBuffer | null => {
    const state = signals.get(path)?.get();
    return state?.phase === "text" ? state : null;
  };
  const put = (path: string, state: BufferState) => signals.get(path)?.set(state);

  const load = async (path: string) => {
    try {
      const file = await fetchFile(path);
      const stored = drafts.get(path);
      if (!file) return put(path, stored ? toOrphan(path, stored.text) : { phase: "gone" });
      const state = toBuffer(file, stored?.text ?? null);
      const isOld = state.phase === "text" && state.draft !== null && stored?.was !== file.hash;
      put(path, isOld ? { ...state, save: { name: "behind", theirs: file } } : state);
    } catch (error) {
      put(path, toFailed(error));
    }
  };

  const refresh = async (path: string) => {
    const file = await fetchFile(path).catch(() => undefined);
    const now = signals.get(path)?.get();
    if (file === undefined || now === undefined) return;
    if (now.phase === "text" && now.draft !== null) return followAll();
    put(path, file ? toBuffer(file) : { phase: "gone" });
  };

  const followOne = (path: string, now: BufferState) => {
    const line = lineOf(path);
    if (now.phase === "gone" && line) return void load(path);
    if (now.phase !== "text" && now.phase !== "bytes") return;
    if (line?.hash === now.file.hash || now.file.seq > filesSeq) return;
    if (now.phase === "bytes" || now.draft === null) {
      if (line) return void refresh(path);
      return put(path, { phase: "gone" });
    }
    if (now.save.name === "saving" || now.save.name === "stale") return;
    if (line === null && now.file.hash === "") return;
    put(path, { ...now, save: { name: "behind", theirs: line } });
  };
  const followAll = () => {
    for (const [path, signal] of signals) followOne(path, signal.get());
  };

  const { compare, save, settle } = createSaving({ ...requests, drafts, textBuffer, put, followAll });

  return {
    compare,
    save,
    settle,
    follow: (next, seq) => {
      files = next;
      filesSeq = seq;
      followAll();
    },
    get: (path) => {
      const known = signals.get(path);
      if (known) return known;
      const signal = createSignal<BufferState>({ phase: "loading" });
      signals.set(path, signal);
      void load(path);
      return signal;
    },
    write: (path, text) => {
      const now = textBuffer(path);
      if (!now) return;
      const draft = text === now.file.text && now.save.name !== "stale" ? null : text;
      const isOld = now.save.name === "behind" || now.save.name === "stale" || now.save.name === "saving";
      drafts.set(path, draft === null ? null : { was: now.file.hash, text: draft });
      put(path, { ...now, draft, save: isOld && draft !== null ? now.save : idle });
      if (draft === null) followAll();
    },
    leave: (path) => {
      if (textBuffer(path)?.save.name !== "behind") void save(path);
    },
    isUnsaved: (path) => (textBuffer(path)?.draft ?? drafts.get(path)?.text ?? null) !== null,
    drop: (path) => {
      signals.delete(path);
      drafts.set(path, null);
    },
  };
}

/** Reads and writes files of the project. */
function createFileRequests({ projectId, client }: Pick<Options, "projectId" | "client">) {
  /** The same edit of the same version is sent under the same id, so a repeated request has no further effect. */
  const sent = new Map<string, { readonly key: string; readonly id: string }>();
  const fetchFile = (path: string): Promise<FileText | null> =>
    client.getFile({ params: { projectId }, query: { path } }).catch((error: unknown) => {
      if (error instanceof ResponseError && error.status === 404) return null;
      throw error;
    });
  const send = async (path: string, text: string, was: string | null): Promise<FileLine | undefined> => {
    const key = `${was} ${text}`;
    const before = sent.get(path);
    const id = before?.key === key ? before.id : createId();
    sent.set(path, { key, id });
    const ops = [{ do: "write" as const, path, was, text }];
    const answer = await client.writeFiles({ params: { projectId }, body: { id, ops } });
    sent.delete(path);
    return answer.files.find((file) => file.path === path);
  };

  return { fetchFile, send };
}

type SavingOptions = ReturnType<typeof createFileRequests> & {
  readonly drafts: Drafts;
  readonly textBuffer: (path: string) => TextBuffer | null;
  readonly put: (path: string, state: BufferState) => void;
  readonly followAll: () => void;
};

/** Saves edits, and shows both versions if the file has changed. */
function createSaving({ fetchFile, send, drafts, textBuffer, put, followAll }: SavingOptions) {
  const store = async (path: string, text: string, was: string | null) => {
    const before = textBuffer(path);
    if (!before) return;
    put(path, { ...before, draft: text, save: { name: "saving" } });
    try {
      const line = await send(path, text, was);
      const after = textBuffer(path) ?? before;
      const draft = after.draft === text ? null : after.draft;
      drafts.set(path, draft === null || !line ? null : { was: line.hash, text: draft });
      put(path, { ...after, file: { ...after.file, ...line, text }, draft, save: idle });
      followAll();
    } catch (error) {
      const after = textBuffer(path);
      if (!after) return;
      if (isConflict(error)) return compare(path);
      put(path, { ...after, save: { name: "failed", text: toErrorText(error) } });
    }
  };

  const compare = async (path: string) => {
    try {
      const before = textBuffer(path)?.save;
      const isGone = before?.name === "behind" && before.theirs === null;
      const theirs = isGone ? null : await fetchFile(path);
      const now = textBuffer(path);
      if (!now) return;
      if (theirs !== null && (theirs.text === textOf(now) || now.draft === null)) {
        drafts.set(path, null);
        return put(path, toBuffer(theirs));
      }
      put(path, { ...now, save: { name: "stale", theirs } });
    } catch (error) {
      const now = textBuffer(path);
      if (now) put(path, { ...now, save: { name: "failed", text: toErrorText(error) } });
    }
  };

  const save = async (path: string) => {
    const now = textBuffer(path);
    if (!now || now.draft === null || now.save.name === "saving" || now.save.name === "stale") return;
    if (now.save.name === "behind") return compare(path);
    await store(path, now.draft, now.file.hash === "" ? null : now.file.hash);
  };

  const settle = async (path: string, text: string | null) => {
    const now = textBuffer(path);
    if (now?.save.name !== "stale") return;
    const { theirs } = now.save;
    if (text !== null) return store(path, text, theirs?.hash ?? null);
    drafts.set(path, null);
    put(path, theirs ? toBuffer(theirs) : { phase: "gone" });
  };

  return { compare, save, settle };
}

/** Edits of a file that was deleted. */
const toOrphan = (path: string, text: string): BufferState => ({
  phase: "text",
  file: { path, hash: "", bytes: 0, lines: 0, seq: 0, updatedAt: 0, text: "", base64: null },
  draft: text,
  save: { name: "behind", theirs: null },
});

const isConflict = (error: unknown): boolean => error instanceof ResponseError && error.status === 409;
