import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import { textOf } from "../../protocol/fold.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import type { Part } from "../../protocol/parts.ts";
import type { Principal } from "../auth/principal.ts";
import type { Ids } from "../lib/ids.ts";
import type { Reads, Write } from "../store/contract.ts";
import { isReadable, toStoredRun } from "../store/parse-rows.ts";
import type { RowOf } from "../store/schema.ts";
import { commitCreation, type CreateOptions } from "./create-thread.ts";
import { toPart, toSummary } from "./rows.ts";
import { indexTitle } from "./search-docs.ts";
import { markShared, markSharedRow } from "./shared.ts";
import { toPreview } from "./title.ts";

/** A copy is one transaction, so its size is bounded. */
const MOST_MESSAGES = 2_000;
const MOST_CHARACTERS = 30_000_000;
const PAGE = 100;
const WHOLE = Number.MAX_SAFE_INTEGER;

type Fork = {
  readonly thread: RowOf<"threads">;
  readonly messageId: string;
  readonly body: Body<"forkThread">;
};

/**
 * Copies a thread up to a message into a new private thread: messages, artifacts, files, pins and redacted values. Receipts, costs,
 * grants, summaries and compactions stay with the original. The same request again returns the same thread.
 */
export async function forkThread(
  options: CreateOptions,
  { userId }: Pick<Principal, "userId">,
  { thread, messageId, body }: Fork,
): Promise<ThreadSummary> {
  const { read, clock, ids } = options;
  if (thread.temporary === 1) throw new ApiError("invalid", "A temporary thread cannot be copied. Keep it first.");
  const message = await read.message(thread.id, messageId);
  if (!message) throw new ApiError("not-found", "Not found.");
  const live = await read.liveRun(thread.id);
  if (live && live.message === messageId) {
    throw new ApiError("conflict", "This answer is still being written. Wait until it has ended.");
  }
  const now = clock.now();
  const to = { id: body.id, branch: ids.next() };
  const copied = await copyPath(read, ids, message, { ...to, owner: userId, isFromShared: thread.shared === 1 });
  const row: RowOf<"threads"> = {
    ...thread,
    owner: userId,
    shared: 0,
    id: to.id,
    branch: to.branch,
    ...(body.title === undefined ? {} : { title: body.title, title_source: "person" }),
    preview: copied.preview,
    status: "idle",
    pinned: 0,
    archived: 0,
    message_count: copied.count,
    seen_at: now,
    created_at: now,
    updated_at: now,
  };
  const event = { type: "thread-created" as const, thread: toSummary(row) };
  const activated = { type: "branch-activated" as const, branchId: to.branch, forkDepth: 0, reload: true };
  return commitCreation(options, {
    row,
    request: { from: thread.id, messageId, ...body },
    events: [
      { stream: threadStream(to.id), event },
      { stream: userStream(userId), event },
      // No event delivers the copied messages, so readers of the stream load them.
      { stream: threadStream(to.id), event: activated },
    ],
    root: { thread: to.id, id: to.branch, parent: null, fork_depth: 0, tip: message.depth, used_at: now },
    writes: [...copied.writes, ...indexTitle(row, row.title)],
  });
}

type Target = { readonly id: string; readonly branch: string };
type CopyTarget = Target & { readonly owner: string; readonly isFromShared: boolean };

async function copyPath(read: Reads, ids: Ids, last: RowOf<"messages">, to: CopyTarget) {
  const from = last.thread;
  const segments = await read.segments({ thread: from, branch: last.branch, upTo: last.depth }, WHOLE);
  const messages = await read.pathEnd(from, segments, MOST_MESSAGES + 1);
  if (messages.length > MOST_MESSAGES) throw tooLarge();
  const files = await copyFiles(read, ids, from, to.id);
  const artifacts = await copyArtifacts(read, ids, { ...to, from, to: to.id, files, messages });
  const writes: Write[] = [...artifacts.writes];
  let characters = artifacts.characters;
  let preview = "";
  for (let start = 0; start < messages.length; start += PAGE) {
    const rows = messages.slice(start, start + PAGE);
    const runs = await copyRuns(read, ids, rows, to);
    const copies = rows.map((row) => ({ ...row, thread: to.id, branch: to.branch, run: runs.idOf(row.run) }));
    const names = rows.map(({ id }) => id);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const parts = (await read.partsOf(from, names)).map((part) => {
      const copy = copyPart(part, to.id, files.idOf, artifacts.ids);
      const message = byId.get(part.message);
      return to.isFromShared && message ? markShared(copy, message, to.owner) : copy;
    });
    const docs = await read.searchDocs(from, names);
    writes.push(
      ...copies.map((row): Write => ({ do: "insert", table: "messages", row })),
      ...runs.writes,
      ...parts.map((row): Write => ({ do: "insert", table: "parts", row })),
      ...docs.map((row): Write => ({
        do: "insert",
        table: "search_docs",
        row: { ...row, owner: to.owner, thread: to.id },
      })),
    );
    characters += parts.reduce((sum, { body }) => sum + body.length, 0);
    if (characters > MOST_CHARACTERS) throw tooLarge();
    const ending = copies.findLast(({ role }) => role === "assistant");
    const shown = parts.filter((part) => part.message === ending?.id && isReadable(part)).map(toPart);
    preview = toPreview(textOf(shown)) || preview;
  }
  const known = new Set(messages.map(({ id }) => id));
  const pins = (await read.pins(from)).filter(({ message }) => message === null || known.has(message));
  // No user can reveal them in a shared thread, so a copy does not have them.
  const hidden = to.isFromShared ? [] : await read.hiddenValues(from);
  writes.push(
    ...files.writes(),
    ...pins.map((pin): Write => {
      const row = { ...pin, id: `${to.id}/${pin.id.slice(from.length + 1)}`, thread: to.id };
      return { do: "insert", table: "pins", row: to.isFromShared ? markSharedRow(row) : row };
    }),
    ...hidden.map((row): Write => ({ do: "insert", table: "hidden_values", row: { ...row, thread: to.id } })),
  );
  return { writes, preview, count: messages.length };
}

type NewIds = ReadonlyMap<string, string>;

/** Files are rows that refer to a content, so that copying one does not copy its bytes. Only files with a new id are copied. */
async function copyFiles(read: Reads, ids: Ids, from: string, to: string) {
  const rows = new Map((await read.attachmentsOf(from)).map((row) => [row.id, row]));
  const newIds = new Map<string, string>();
  const idOf = (id: string): string => {
    if (!rows.has(id)) return id;
    const next = newIds.get(id) ?? ids.next();
    newIds.set(id, next);
    return next;
  };
  const writes = () =>
    [...newIds].flatMap(([old, id]): Write[] => {
      const row = rows.get(old);
      return row ? [{ do: "insert", table: "attachments", row: { ...row, id, thread: to } }] : [];
    });
  return { idOf, writes };
}

type IdOf = (id: string) => string;

type ArtifactCopy = {
  readonly from: string;
  readonly to: string;
  readonly owner: string;
  readonly isFromShared: boolean;
  readonly files: { readonly idOf: IdOf };
  readonly messages: readonly RowOf<"messages">[];
};

/** Artifacts of the copied messages keep their numbers, by which the texts cite them. */
async function copyArtifacts(read: Reads, ids: Ids, options: ArtifactCopy) {
  const { from, to, owner, isFromShared, files, messages } = options;
  const known = new Set(messages.map(({ id }) => id));
  const newIds = new Map<string, string>();
  const writes: Write[] = [];
  let characters = 0;
  for (let ref = 0; ;) {
    const page = await read.artifactsAfter(from, ref, PAGE);
    const copied = page.filter(({ message }) => known.has(message));
    const docs = await read.searchDocs(
      from,
      copied.map((row) => `@${row.ref}`),
    );
    for (const row of copied) {
      const id = ids.next();
      newIds.set(row.id, id);
      characters += row.body.length;
      const copy = { ...row, id, thread: to, meta: replaceIds(row.meta, files.idOf) };
      writes.push({ do: "insert", table: "artifacts", row: isFromShared ? markSharedRow(copy) : copy });
    }
    writes.push(
      ...docs.map((row): Write => ({ do: "insert", table: "search_docs", row: { ...row, owner, thread: to } })),
    );
    if (characters > MOST_CHARACTERS) throw tooLarge();
    const last = page.at(-1);
    if (page.length < PAGE || !last) return { ids: newIds, writes, characters };
    ref = last.ref;
  }
}

/** Only runs that ended early are copied: they say how an answer ended, and *Continue* resumes the newest. */
async function copyRuns(read: Reads, ids: Ids, rows: readonly RowOf<"messages">[], to: Target) {
  const ended = await read.runsEndedEarly([...new Set(rows.flatMap(({ run }) => (run === null ? [] : [run])))]);
  const newIds = new Map(ended.map(({ id }) => [id, ids.next()]));
  const writes = ended.map((row): Write => {
    const id = newIds.get(row.id) ?? row.id;
    const stored = toStoredRun(row);
    const state = { ...stored, branchId: to.branch, view: { ...stored.view, id, threadId: to.id } };
    return {
      do: "insert",
      table: "runs",
      row: { ...row, id, thread: to.id, asker: null, body: JSON.stringify(state) },
    };
  });
  return { writes, idOf: (run: string | null) => (run === null ? null : (newIds.get(run) ?? null)) };
}

/** A part of a newer version is copied unchanged. */
function copyPart(row: RowOf<"parts">, thread: string, fileIdOf: IdOf, artifacts: NewIds): RowOf<"parts"> {
  const copy = { ...row, thread };
  if (!isReadable(row) || (row.kind !== "file" && row.kind !== "source")) return copy;
  const part: Part = toPart(row);
  if (part.kind === "file" && part.attachmentId !== undefined) {
    const attachmentId = fileIdOf(part.attachmentId);
    return { ...copy, body: JSON.stringify({ ...part, attachmentId }) };
  }
  if (part.kind === "source" && part.artifactId !== undefined) {
    const artifactId = artifacts.get(part.artifactId) ?? part.artifactId;
    return { ...copy, body: JSON.stringify({ ...part, artifactId }) };
  }
  return copy;
}

/** The metadata of an attached file's text names the file. */
function replaceIds(meta: string, fileIdOf: IdOf): string {
  const parsed = JSON.parse(meta) as { readonly attachment?: string };
  return parsed.attachment === undefined
    ? meta
    : JSON.stringify({ ...parsed, attachment: fileIdOf(parsed.attachment) });
}

const tooLarge = (): ApiError =>
  new ApiError("too-large", "This thread is too long to be copied. Branch within this thread instead.");
