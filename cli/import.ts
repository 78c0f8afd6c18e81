import { openAsBlob } from "node:fs";
import { access } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ApiClient } from "../protocol/api-client.ts";
import type { Import } from "../protocol/account/imports.ts";
import { UsageError } from "./connect.ts";
import { toPrintable } from "./output.ts";

type Options = { readonly client: ApiClient; readonly words: readonly string[]; readonly json?: boolean | undefined };
type Sink = { readonly write: (text: string) => unknown };

const LOOK_MS = 500;

/** Imports a file, waits for it and prints the report. Returns 1 if the import failed. */
export async function importFile({ client, words, json = false }: Options, sink: Sink): Promise<number> {
  const [path, ...rest] = words;
  if (path === undefined || rest.length > 0) throw new UsageError("Name one file: stonechat import FILE.");
  await access(path).catch(() => {
    throw new UsageError(`The file ${path} cannot be read.`);
  });
  const body = await openAsBlob(path);
  const { id: importId } = await client.uploadImport({ query: { name: basename(path) }, body });
  const params = { importId };
  let found: Import;
  for (;;) {
    found = (await client.getImport({ params, query: { limit: 1 } })).import;
    if (found.state !== "running") break;
    await pause(LOOK_MS);
  }
  const print = (value: object, line: string): void =>
    void sink.write(json ? `${JSON.stringify(value)}\n` : `${toPrintable(line)}\n`);
  for (let after: number | null = 0; after !== null;) {
    const page: Awaited<ReturnType<ApiClient["getImport"]>> = await client.getImport({
      params,
      query: { after, limit: 500 },
    });
    for (const line of page.lines)
      print(line, `${labels[line.kind]}${line.target === "" ? "" : ` ${line.target}`}  ${line.text}`);
    after = page.nextAfter;
  }
  const { threads, messages, projects, files, known, notes, memory } = found.counts;
  const counts = `${threads} threads with ${messages} messages, ${projects} projects, ${files} files`;
  print(found, `Imported ${counts}. ${known} were there already, ${notes} notes.`);
  if (memory > 0 && !json) sink.write(`${memory} texts for memory wait for your decision in Settings > Your data.\n`);
  if (found.state === "done") return 0;
  if (!json) sink.write(`The import failed. ${toPrintable(found.error ?? "")}\n`);
  return 1;
}

const labels = {
  thread: "thread",
  known: "known",
  project: "project",
  note: "note",
  memory: "memory?",
  "memory-added": "memory",
  "memory-declined": "declined",
} as const;
