import { createHash } from "node:crypto";
import { attachmentLimits } from "../../../../protocol/attachment-limits.ts";
import { ARCHIVE_FORMAT, ARCHIVE_VERSION } from "../../../../protocol/account/export.ts";
import { memoryFields, type MemoryField } from "../../../../protocol/memory.ts";
import { textOf } from "../../../../protocol/fold.ts";
import type { Part } from "../../../../protocol/parts.ts";
import { indexArtifact, indexMessage, indexTitle } from "../../../thread/search-docs.ts";
import { toTerms } from "../../../rank/terms.ts";
import type { ImportTarget, ArchiveSignature, ThreadUnit, Unit, UnitFile } from "../../items.ts";
import {
  projectRow,
  projectRows,
  threadRow,
  threadRows,
  type PlainRow,
  type TableRow,
  type ThreadRow,
} from "../../tables.ts";
import { toFields, toText } from "../foreign.ts";
import { copyTo, readLines, readWhole, Unimportable, withFaults, type Source } from "../open-source.ts";
import { createMapper, toDocs } from "./map-rows.ts";

type Zip = Extract<Source, { kind: "zip" }>;

/** Rows are bounded by what a message, a result or a file's text may have. */
const MOST_LINE_BYTES = 48_000_000;
const MANIFEST = "manifest.json";
const SIGNATURE = "signature.json";

export async function isArchive(zip: Zip): Promise<boolean> {
  if (!zip.names.includes(MANIFEST)) return false;
  const { format, v } = toFields(await readJson(zip, MANIFEST));
  if (format !== ARCHIVE_FORMAT) return false;
  if (v === ARCHIVE_VERSION) return true;
  throw new Unimportable("A newer Stonechat exported this archive. Update this server, then import it again.");
}

async function readJson(zip: Zip, name: string): Promise<unknown> {
  try {
    return JSON.parse((await readWhole(zip.read(name), 1_000_000)).toString("utf8")) as unknown;
  } catch {
    return null;
  }
}

/** The digest of everything in the archive, in its order of writing, and the signature that it names; null: none fits. */
export async function readSigned(zip: Zip): Promise<ArchiveSignature | null> {
  if (!zip.names.includes(SIGNATURE)) return null;
  const { digest, signature } = toFields(await readJson(zip, SIGNATURE));
  const all = createHash("sha256");
  for (const name of zip.written) {
    if (name === SIGNATURE) continue;
    const hash = createHash("sha256");
    for await (const chunk of zip.read(name)) hash.update(chunk);
    all.update(`${name}\n${hash.digest("hex")}\n`);
  }
  const found = all.digest("hex");
  return digest === found && typeof signature === "string" ? { digest: found, signature } : null;
}

export async function* readArchive(zip: Zip): AsyncGenerator<Unit> {
  const known =
    /^(manifest\.json|signature\.json|account\.jsonl|(projects|threads)\/[\w-]{1,128}\.jsonl|files\/[0-9a-f]{64})$/;
  for (const name of zip.names)
    if (!known.test(name)) yield { kind: "note", text: `${name} is no part of this format.` };
  if (zip.names.includes("account.jsonl")) yield* withFaults(readAccount(zip));
  for (const name of zip.names.filter((one) => one.startsWith("projects/"))) yield* withFaults(readProject(zip, name));
  for (const name of zip.names.filter((one) => one.startsWith("threads/"))) yield* withFaults(readThread(zip, name));
}

async function* readAccount(zip: Zip): AsyncGenerator<Unit> {
  const left = new Map<string, number>();
  for await (const { table, row } of readRows(zip, "account.jsonl", () => {})) {
    const { field, value } = row;
    if (table === "memory" && (memoryFields as readonly unknown[]).includes(field) && typeof value === "string")
      yield { kind: "memory", field: field as MemoryField, text: value };
    else left.set(table, (left.get(table) ?? 0) + 1);
  }
  for (const [table, count] of left)
    yield {
      kind: "note",
      text: `${count} entries of “${table.slice(0, 60)}” in account.jsonl are settings, which are not imported.`,
    };
}

type Note = (text: string) => void;

/** Lines that are no rows are named in notes. */
async function* readRows(zip: Zip, name: string, note: Note): AsyncGenerator<TableRow> {
  let number = 0;
  for await (const line of readLines(zip.read(name), MOST_LINE_BYTES)) {
    number += 1;
    if (line === null) {
      note(`Line ${number} of ${name} is too long.`);
      continue;
    }
    const parsed = parse(line);
    const { table, row } = toFields(parsed);
    if (typeof table === "string" && typeof row === "object" && row !== null) yield { table, row: row as PlainRow };
    else if (line.trim() !== "") note(`Line ${number} of ${name} is no row.`);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}

async function* readThread(zip: Zip, name: string): AsyncGenerator<Unit> {
  const notes: string[] = [];
  let head: ThreadRow | undefined;
  const messages = new Map<string, number>();
  const ids = new Set<string>();
  const files = new Map<string, UnitFile>();
  // The first pass finds the ids, so that the second one can replace them.
  for await (const { table, row } of readRows(zip, name, (text) => void notes.push(text))) {
    if (table === "threads") {
      const parsed = threadRow.safeParse(row);
      if (parsed.success && name === `threads/${parsed.data.id}.jsonl`) head ??= parsed.data;
    } else if (table === "messages") messages.set(toText(row["id"]), Number(row["created_at"]));
    else if (table === "attachments" && typeof row["hash"] === "string")
      files.set(row["hash"], toContent(zip, row["hash"]));
    if (table !== "messages" && table !== "branches" && typeof row["id"] === "string") ids.add(row["id"]);
  }
  if (!head) {
    yield { kind: "note", text: `${name} has no valid thread in its first line, so it was not imported.` };
    return;
  }
  const { id, ...rest } = head;
  ids.delete(id);
  yield {
    kind: "thread",
    format: "stonechat",
    id,
    head: rest,
    messages: [...messages.keys()],
    files: [...files.values()],
    notes: notes.slice(0, MOST_NOTES),
    rows: (place) => readThreadRows({ zip, name, head: rest, messages, ids, place, notes }),
  };
}

const MOST_NOTES = 100;

const toContent = (zip: Zip, hash: string): UnitFile => ({
  key: hash,
  name: `files/${hash}`,
  isContent: true,
  write: (path) => copyTo(zip.read(`files/${hash}`), path, attachmentLimits.fileBytes),
});

type ThreadFile = {
  readonly zip: Zip;
  readonly name: string;
  readonly head: ThreadUnit["head"];
  readonly messages: ReadonlyMap<string, number>;
  readonly ids: ReadonlySet<string>;
  readonly place: ImportTarget;
  readonly notes: string[];
};

async function* readThreadRows({ zip, name, head, messages, ids, place }: ThreadFile): AsyncGenerator<TableRow> {
  const map = createMapper(place, ids);
  const owner = { id: place.id, owner: place.owner, project: null, shared: 0 } as const;
  yield* toDocs(indexTitle({ ...owner, created_at: head.created_at }, head.title));
  const current = { message: "", parts: [] as Part[] };
  const flush = function* flush(): Generator<TableRow> {
    const { message, parts } = current;
    const at = messages.get(message);
    if (at !== undefined) yield* toDocs(indexMessage(owner, { id: message, created_at: at }, textOf(parts)));
    current.parts = [];
  };
  for await (const { table, row } of readRows(zip, name, () => {})) {
    if (table === "threads") continue;
    if (table === "texts") {
      const body = toText(row["body"]);
      const hash = createHash("sha256").update(body).digest("hex");
      if (hash === row["hash"]) yield { table, row: { hash, body } };
      else yield toNote(`A text of ${name} does not have its hash.`);
      continue;
    }
    const schema = Object.hasOwn(threadRows, table) ? threadRows[table as keyof typeof threadRows] : undefined;
    const parsed = schema?.safeParse(row);
    if (!parsed?.success) {
      const issue = parsed?.error?.issues[0];
      yield toNote(
        `A row of “${table.slice(0, 60)}” in ${name} was left out: ${issue ? `${issue.path.join(".")} ${issue.message}` : "unknown table"}`,
      );
      continue;
    }
    if (table === "parts") {
      const { message, body } = parsed.data as { message: string; body: string };
      if (message !== current.message) yield* flush();
      current.message = message;
      current.parts.push(JSON.parse(body) as Part);
    } else if (current.message !== "") {
      yield* flush();
      current.message = "";
    }
    if (table === "artifacts") {
      const {
        ref,
        title,
        body,
        created_at: at,
      } = parsed.data as { ref: number; title: string; body: string; created_at: number };
      yield* toDocs(indexArtifact(owner, { ref, title, text: body, at }));
    }
    yield map(table, parsed.data as PlainRow);
  }
  yield* flush();
}

/** A row of this table is a line of the report. */
const toNote = (text: string): TableRow => ({ table: "note", row: { text } });

async function* readProject(zip: Zip, name: string): AsyncGenerator<Unit> {
  for await (const { table, row } of readRows(zip, name, () => {})) {
    const parsed = table === "projects" ? projectRow.safeParse(row) : undefined;
    if (!parsed?.success || name !== `projects/${parsed.data.id}.jsonl`) break;
    const { id, ...head } = parsed.data;
    yield { kind: "project", id, head, rows: (place) => readProjectRows(zip, name, place) };
    return;
  }
  yield { kind: "note", text: `${name} has no valid project in its first line, so it was not imported.` };
}

async function* readProjectRows(zip: Zip, name: string, place: ImportTarget): AsyncGenerator<TableRow> {
  const map = createMapper(place, new Set());
  const notes: string[] = [];
  for await (const { table, row } of readRows(zip, name, (text) => void notes.push(text))) {
    if (table === "projects") continue;
    const schema = Object.hasOwn(projectRows, table) ? projectRows[table as keyof typeof projectRows] : undefined;
    const parsed = schema?.safeParse(row);
    if (!parsed?.success) {
      yield toNote(
        `A row of “${table.slice(0, 60)}” in ${name} was left out: ${parsed?.error?.issues[0]?.message ?? "unknown table"}`,
      );
      continue;
    }
    const data = parsed.data as PlainRow;
    const terms = (): string =>
      [...new Set(toTerms(`${data["title"]}\n${data["body"]}`))].slice(0, MOST_TERMS).join(" ");
    yield map(table, table === "entities" ? { ...data, terms: terms() } : data);
  }
  for (const text of notes.slice(0, MOST_NOTES)) yield toNote(text);
}

/** As when an entity is written. */
const MOST_TERMS = 20_000;
