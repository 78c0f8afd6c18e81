import { join } from "node:path";
import { serveParent } from "../../lib/bounded-process-child.ts";
import type { ImportTarget, ReadReply, ReadRequest, UnitFile } from "../items.ts";
import type { TableRow } from "../tables.ts";
import { isArchive, readSigned } from "./formats/archive.ts";
import { openSource, Unimportable } from "./open-source.ts";
import { readUnits } from "./read-units.ts";

/** Reads the file of an import, a reply at a time, so that neither this process nor its parent has more than that in memory. */
serveParent<ReadRequest, ReadReply>({ handle, maxBytes: () => MOST_BYTES });

const MOST_BYTES = 900_000_000;
/** A reply is committed as one batch, between which other commits run. */
const MOST_ROWS = 150;
const MOST_CHARACTERS = 250_000;

type Replies = AsyncGenerator<ReadReply, void, ImportTarget | null | undefined>;
type Session = { readonly importId: string; readonly replies: Replies; position: number };
let session: Session | undefined;

async function handle(request: ReadRequest): Promise<ReadReply> {
  const { importId, position, place } = request;
  const isContinued = session?.importId === importId && (place !== undefined || session.position === position);
  if (!isContinued) {
    await session?.replies.return();
    session = { importId, replies: readReplies(request), position };
  }
  const current = session;
  if (!current) throw new Error("There is no session.");
  try {
    const { value, done } = await current.replies.next(place);
    if (done) throw new Error("The file was read to its end before.");
    // While a thread is being sent, the position is one that no request has.
    if (value.kind === "file" || (value.kind === "rows" && !value.isLast)) current.position = -1;
    else if (value.kind === "rows") current.position = sent;
    else if ("position" in value) {
      sent = value.position;
      // Without a place, the next request continues with the next unit.
      current.position = sent;
    }
    return value;
  } catch (error) {
    session = undefined;
    if (error instanceof Unimportable) return { kind: "refused", text: error.message };
    throw error;
  }
}
let sent = 0;

async function* readReplies({ path, name, position: done, folder, importId, now }: ReadRequest): Replies {
  const source = await openSource(path);
  const isOwn = source.kind === "zip" && (await isArchive(source));
  const first = done === 0;
  if (first) yield { kind: "opened", signed: isOwn ? await readSigned(source) : null };
  let position = 0;
  for await (const unit of readUnits(source, { name, now, isArchive: isOwn })) {
    position += 1;
    if (position <= done) continue;
    if (unit.kind === "note" || unit.kind === "memory" || unit.kind === "outline") {
      yield { ...unit, position };
      continue;
    }
    const { rows, ...head } = unit;
    const files = "files" in unit ? unit.files : [];
    const { files: _, ...plain } = { files, ...head };
    const place = yield { ...plain, hasFiles: files.length > 0, position } as ReadReply;
    if (!place) continue;
    for (const [index, file] of files.entries())
      yield await writeFile(file, join(folder, `import-${importId}.${index}`));
    yield* toReplies(rows(place));
  }
  yield { kind: "end", position };
}

async function writeFile({ key, name, isContent, write }: UnitFile, path: string): Promise<ReadReply> {
  try {
    const content = { path, ...(await write(path)) };
    return { kind: "file", key, name, isContent, content, reason: "" };
  } catch (error) {
    const reason = error instanceof Unimportable ? error.message : "It could not be read.";
    return { kind: "file", key, name, isContent, content: null, reason };
  }
}

async function* toReplies(all: AsyncIterable<TableRow> | Iterable<TableRow>): AsyncGenerator<ReadReply> {
  let rows: TableRow[] = [];
  let notes: string[] = [];
  let characters = 0;
  for await (const row of all) {
    if (row.table === "note") {
      notes.push(String(row.row["text"]));
      continue;
    }
    rows.push(row);
    for (const value of Object.values(row.row)) if (typeof value === "string") characters += value.length;
    if (rows.length < MOST_ROWS && characters < MOST_CHARACTERS) continue;
    yield { kind: "rows", rows, isLast: false, notes };
    [rows, notes, characters] = [[], [], 0];
  }
  yield { kind: "rows", rows, isLast: true, notes };
}
