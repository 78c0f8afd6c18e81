import { createHash } from "node:crypto";
import { ARCHIVE_FORMAT, ARCHIVE_VERSION } from "../../../protocol/account/export.ts";
import { isTerminal } from "../../../protocol/parts.ts";
import type { Seal } from "../../lib/seal.ts";
import { isReadable, toPart, toPreferences, toReceipt } from "../../store/parse-rows.ts";
import type { Reads, ScopedTable } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { pickColumns, projectRow, projectRows, threadRow, threadRows, type PlainRow } from "../tables.ts";
import { writeZipStream, type ZipSource } from "./write-zip.ts";

/**
 * Everything of a user as one archive, see docs/export-format.md. It is written while it is read; memory does not grow with it.
 * The same data gives the same bytes: there is no time in it, and rows are in the order of their keys. Never included: keys,
 * redacted values, share tokens, other users' rows, and temporary threads.
 */
export async function* writeArchive(read: Reads, seal: Seal, userId: string): AsyncGenerator<Uint8Array> {
  const all = createHash("sha256");
  async function* entries(): AsyncGenerator<ZipSource> {
    const manifest = { format: ARCHIVE_FORMAT, v: ARCHIVE_VERSION };
    yield { name: MANIFEST, chunks: once(`${JSON.stringify(manifest)}\n`) };
    yield { name: "account.jsonl", chunks: writeAccount(read, userId) };
    for await (const row of eachOf((after, limit) => read.projectsAfter(userId, after, limit)))
      yield { name: `projects/${row.id}.jsonl`, chunks: writeProject(read, row) };
    const hashes = new Set<string>();
    for await (const row of eachOf((after, limit) => read.threadsAfter(userId, after, limit))) {
      if (row.temporary === 1) continue;
      const files = new Map<string, string>();
      yield {
        name: `threads/${row.id}.jsonl`,
        chunks: writeThread(read, row, (hash, owner) => files.set(hash, owner)),
      };
      for (const [hash, owner] of files) {
        if (hashes.has(hash)) continue;
        hashes.add(hash);
        yield { name: `files/${hash}`, chunks: readFile(read, owner, hash) };
      }
    }
    const digest = all.digest("hex");
    const signature = { digest, signature: toSignature(seal, userId, digest) };
    yield { name: SIGNATURE, chunks: once(`${JSON.stringify(signature)}\n`) };
  }
  yield* writeZipStream(entries(), (name, hash) => {
    if (name !== SIGNATURE) all.update(`${name}\n${hash}\n`);
  });
}

const MANIFEST = "manifest.json";
const SIGNATURE = "signature.json";

/** Only this server with this user can make it: such an archive comes back as it was written. */
export const toSignature = (seal: Seal, userId: string, digest: string): string =>
  seal.derive(`archive ${JSON.stringify([userId, digest])}`);

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

const PAGE = 50;

async function* eachOf<T extends { readonly id: string }>(
  read: (after: string, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let after = ""; ;) {
    const rows = await read(after, PAGE);
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return;
    after = last.id;
  }
}

async function* rowsOf<T extends ScopedTable>(
  read: Reads,
  table: T,
  scope: { readonly by: "thread" | "project"; readonly id: string },
): AsyncGenerator<RowOf<T>> {
  for (let after: RowOf<T> | null = null; ;) {
    const rows: readonly RowOf<T>[] = await read.rowsOf(table, scope, after, PAGE);
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return;
    after = last;
  }
}

const toLine = (table: string, row: PlainRow): string => `${JSON.stringify({ table, row })}\n`;

type OnFile = (hash: string, owner: string) => void;

async function* writeThread(read: Reads, thread: RowOf<"threads">, onFile: OnFile): AsyncGenerator<string> {
  const status = thread.status === "error" ? "error" : "idle";
  yield toLine("threads", pickColumns(threadRow, { ...thread, status }));
  const live = (await read.liveRun(thread.id))?.id;
  const scope = { by: "thread", id: thread.id } as const;
  const texts = new Set<string>();
  for (const table of Object.keys(threadRows) as (keyof typeof threadRows)[]) {
    if (table === "attachment_pictures") continue;
    for await (const row of rowsOf(read, table, scope)) {
      const settled = settleRow(table, row as unknown as PlainRow, live);
      if (!settled) continue;
      yield toLine(table, pickColumns(threadRows[table], settled as unknown as RowOf<typeof table>));
      if (table === "attachments") yield* writePictures(read, row as RowOf<"attachments">, onFile);
      if (table === "receipts") for (const hash of listTexts(row as RowOf<"receipts">)) texts.add(hash);
    }
  }
  for (const hash of [...texts].toSorted()) {
    const body = await read.text(hash);
    if (body !== undefined) yield toLine("texts", { hash, body });
  }
}

async function* writePictures(read: Reads, { owner, hash }: RowOf<"attachments">, onFile: OnFile) {
  onFile(hash, owner);
  for (const row of await read.picturesOf(owner, hash))
    yield toLine("attachment_pictures", pickColumns(threadRows.attachment_pictures, row));
}

function listTexts(row: RowOf<"receipts">): readonly string[] {
  const receipt = toReceipt(row);
  return receipt ? [receipt.recipe.system, receipt.recipe.tools] : [];
}

/** Removes unfinished state, and the ids of the thread and user. */
function settleRow(table: string, row: PlainRow, live: string | undefined): PlainRow | undefined {
  if (table === "messages") return row["run"] === live ? { ...row, run: null } : row;
  if (table === "attachments") return row["sent"] === 1 ? row : undefined;
  if (table === "summaries") return row["status"] === "generating" ? undefined : row;
  if (table === "parts") return settlePart(row);
  if (table !== "runs") return row;
  if (row["ended"] !== 1) return undefined;
  const { ownerId: _, view, ...state } = JSON.parse(String(row["body"])) as { ownerId: string; view: object };
  const { threadId: __, ...shown } = view as { threadId: string };
  return { ...row, body: JSON.stringify({ view: shown, ...state }) };
}

function settlePart(row: PlainRow): PlainRow {
  const stored = row as unknown as RowOf<"parts">;
  if (stored.kind !== "tool" || !isReadable(stored)) return row;
  const part = toPart(stored);
  if (part.kind !== "tool" || isTerminal(part.state)) return row;
  const { asks: _, progress: __, ...rest } = part;
  return { ...row, body: JSON.stringify({ ...rest, state: "cancelled" }) };
}

async function* readFile(read: Reads, owner: string, hash: string): AsyncGenerator<Uint8Array> {
  for (let n = 0; ; n += 1) {
    const piece = await read.attachmentPiece(owner, hash, n);
    if (!piece) return;
    yield piece;
  }
}

async function* writeProject(read: Reads, project: RowOf<"projects">): AsyncGenerator<string> {
  yield toLine("projects", pickColumns(projectRow, project));
  for (const table of Object.keys(projectRows) as (keyof typeof projectRows)[])
    for await (const row of rowsOf(read, table, { by: "project", id: project.id }))
      yield toLine(table, pickColumns(projectRows[table], row));
}

/** Memory and settings. They are read again as data, not as rows. */
async function* writeAccount(read: Reads, userId: string): AsyncGenerator<string> {
  for (const { field, value, updated_at } of await read.memory(userId))
    if (value !== "") yield toLine("memory", { field, value, updated_at });
  for (const { id, name, source, version, body, created_at, updated_at } of await read.profilesOf(userId))
    yield toLine("profiles", { id, name, source, version, body, created_at, updated_at });
  for (const { id, project, name, text, created_at, updated_at } of await read.promptsOf(userId))
    yield toLine("prompts", { id, project, name, text, created_at, updated_at });
  yield toLine("preferences", { body: JSON.stringify(toPreferences(await read.preferences(userId))) });
  for (const { thread, text, at } of await read.drafts(userId))
    if (text !== "") yield toLine("drafts", { thread, text, at });
  for (const { scope, limit_usd } of await read.budgets(userId)) yield toLine("budgets", { scope, limit_usd });
}
