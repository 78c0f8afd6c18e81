import type { Query, Response as Answer } from "../../../protocol/api.ts";
import { importLimits } from "../../../protocol/account/import-limits.ts";
import { importFormats, type Import, type ImportLine } from "../../../protocol/account/imports.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { MemoryField } from "../../../protocol/memory.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Seal } from "../../lib/seal.ts";
import type { Log } from "../../log/log.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Models } from "../../model/model.ts";
import type { Projects } from "../../project/project.ts";
import type { Store, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { Threads } from "../../thread/threads.ts";
import { createImportJob, PIECE_BYTES, planRun } from "./import-job.ts";
import { noProgress, type Progress } from "./progress.ts";

/**
 * Imports: a file is stored in pieces, and a job reads it in a bounded process and commits one thread after another, with the
 * position in the file. So it continues where it was after a crash, on any node, and nothing is stored twice.
 */
export type Imports = ReturnType<typeof createImports>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly threads: Pick<Threads, "remove">;
  readonly projects: Pick<Projects, "act" | "remove">;
  readonly memory: Pick<Memory, "view" | "set">;
  readonly models: Pick<Models, "forUser">;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly wake: () => void;
  /** For the file while it is read. */
  readonly folder: string;
};

type ReceivedFile = { readonly path: string; readonly sizeBytes: number };

const SHOWN = 20;
const STALE_MS = 60 * 60_000;

export function createImports(options: Options) {
  const { store, log, memory, clock, ids, wake } = options;
  const { read } = store;
  const job = createImportJob(options);

  const get = async ({ userId }: Principal, id: string): Promise<RowOf<"imports">> => {
    const row = await read.importRow(userId, id);
    if (row) return row;
    throw new ApiError("not-found", "Not found.");
  };

  return {
    kind: job.kind,
    close: () => job.close(),

    /** Called before an upload, so that a rejected upload is not read. */
    assertFree: async ({ userId }: Principal): Promise<void> => {
      const open = (await listCurrent({ store, log, clock }, userId)).filter(
        ({ state }) => state === "running" || state === "receiving",
      );
      if (open.length < importLimits.running) return;
      throw new ApiError("busy", `${open.length} imports are running. Wait until one has ended, or remove one.`);
    },

    /** `file` may be deleted when this has settled. The import is durable when it returns. */
    add: async ({ userId: owner }: Principal, given: string, { path, sizeBytes }: ReceivedFile): Promise<Import> => {
      if (sizeBytes === 0) throw new ApiError("invalid", "The file is empty.");
      const now = clock.now();
      const row = toRow(owner, ids.next(), { name: toName(given), sizeBytes, now });
      await commit(log, [{ do: "insert", table: "imports", row }]);
      for (let n = 0; n * PIECE_BYTES < sizeBytes; n += 1) {
        const from = n * PIECE_BYTES;
        const body = { file: path, from, lengthBytes: Math.min(PIECE_BYTES, sizeBytes - from) };
        await commit(log, [{ do: "insert", table: "import_pieces", row: { owner, import_id: row.id, n, body } }]);
      }
      const where = { owner, id: row.id };
      await commit(log, [
        { do: "update", table: "imports", set: { state: "running" }, where, expectOne: true },
        ...planRun(row, ids.next(), now),
      ]);
      wake();
      return toView({ ...row, state: "running" });
    },

    list: async ({ userId }: Principal): Promise<{ imports: Import[] }> => ({
      imports: (await listCurrent({ store, log, clock }, userId)).map(toView),
    }),

    get: async (
      principal: Principal,
      id: string,
      { after, limit }: Query<"getImport">,
    ): Promise<Answer<"getImport">> => {
      const row = await get(principal, id);
      const found = await read.importLines(row.owner, id, after, limit + 1);
      const lines = found.slice(0, limit).map(toLine);
      return { import: toView(row), lines, nextAfter: found.length > limit ? (lines.at(-1)?.n ?? null) : null };
    },

    /** Adds a text to memory as the user's own decision, or declines it. */
    decide: async (principal: Principal, id: string, decision: { readonly line: number; readonly add: boolean }) => {
      const row = await get(principal, id);
      const [line] = await read.importLines(row.owner, id, decision.line - 1, 1);
      if (line?.n !== decision.line || !line.kind.startsWith("memory")) throw new ApiError("not-found", "Not found.");
      const kind = decision.add ? "memory-added" : "memory-declined";
      if (line.kind !== "memory" && line.kind !== kind)
        throw new ApiError("conflict", "This was decided before. Change memory in the memory settings.");
      if (decision.add && line.kind === "memory") {
        const field = line.target as MemoryField;
        const before = (await memory.view(row.owner))[field]?.value ?? "";
        const value = before === "" || field === "extra" ? line.text : `${before}\n${line.text}`;
        const has = before === line.text || before.split("\n").includes(line.text);
        if (!has) await memory.set(row.owner, { id: `import-${id}-${line.n}`, field, value });
      }
      const where = { owner: row.owner, import_id: id, n: line.n };
      await commit(log, [{ do: "update", table: "import_lines", set: { kind }, where, expectOne: true }]);
      return { line: toLine({ ...line, kind }) };
    },

    remove: async (principal: Principal, id: string): Promise<{ id: string }> => {
      const { owner, state } = await get(principal, id);
      await commit(log, [
        { do: "delete", table: "import_lines", where: { owner, import_id: id } },
        { do: "delete", table: "import_pieces", where: { owner, import_id: id } },
        { do: "delete", table: "imports", where: { owner, id } },
        ...(state === "running" ? planRun({ owner, id }, ids.next(), clock.now()) : []),
      ]);
      wake();
      return { id };
    },
  };
}

/** The user's imports. Those whose file was never completely received are removed. */
async function listCurrent(
  { store: { read }, log, clock }: Pick<Options, "store" | "log" | "clock">,
  owner: string,
): Promise<readonly RowOf<"imports">[]> {
  const rows = await read.imports(owner, SHOWN);
  const stale = rows.filter(({ state, updated_at: at }) => state === "receiving" && clock.now() - at > STALE_MS);
  for (const { id } of stale)
    await log.commit({ events: [], writes: [{ do: "delete", table: "imports", where: { owner, id } }] });
  return rows.filter((row) => !stale.includes(row));
}

type NewImport = { readonly name: string; readonly sizeBytes: number; readonly now: number };

const toRow = (owner: string, id: string, { name, sizeBytes, now }: NewImport): RowOf<"imports"> => ({
  ...{ owner, id, name, size_bytes: sizeBytes, state: "receiving", format: "", position: 0, lines: 0, staged: "" },
  ...{ body: JSON.stringify(noProgress), error: null, created_at: now, updated_at: now },
});

async function commit(log: Pick<Log, "commit">, writes: readonly Write[]): Promise<void> {
  if ((await log.commit({ events: [], writes })).ok) return;
  throw new ApiError("conflict", "The import was removed.");
}

const MOST_NAME = 200;
/** Shown in reports, and part of the name of an untrusted source. */
const toName = (given: string): string =>
  given
    .toWellFormed()
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, MOST_NAME)
    .toWellFormed() || "file";

const toView = (row: RowOf<"imports">): Import => {
  const { counts } = JSON.parse(row.body) as Progress;
  return {
    id: row.id,
    name: row.name,
    sizeBytes: row.size_bytes,
    state: row.state,
    format: importFormats.find((format) => format === row.format) ?? null,
    counts,
    error: row.error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
};

const toLine = ({ n, kind, target, text }: RowOf<"import_lines">): ImportLine => ({ n, kind, target, text });
