import { appendFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { EMPTY_OUTCOME, planJob, type ClaimedJob, type JobKind, type JobOutcome } from "../../jobs/jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import { createBoundedProcess, LimitExceeded } from "../../lib/bounded-process.ts";
import type { Seal } from "../../lib/seal.ts";
import type { Log } from "../../log/log.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Models } from "../../model/model.ts";
import type { Projects } from "../../project/project.ts";
import type { Store, Write, Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { Threads } from "../../thread/threads.ts";
import type { ReadReply, ReadRequest } from "../items.ts";
import { createApply } from "./apply.ts";
import { clearFiles } from "./files.ts";
import { stagingOwner } from "./units.ts";

const KIND = "import";
/** A multiple of three, so that base64 pieces can be concatenated. */
export const PIECE_BYTES = 384 * 1024;
/** A job ends after this long and is planned again, so that other jobs get their turn. */
const SLICE_MS = 5_000;
const READ_TIMEOUT_MS = 10 * 60_000;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly threads: Pick<Threads, "remove">;
  readonly projects: Pick<Projects, "act" | "remove">;
  readonly memory: Pick<Memory, "view">;
  readonly models: Pick<Models, "forUser">;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
  /** For the file while it is read. */
  readonly folder: string;
};

/** The job of an import: reads the file in a bounded process and stores one unit after another. */
export function createImportJob(options: Options) {
  const { store, log, threads, projects, clock, ids, folder } = options;
  const { read } = store;
  const reader = createBoundedProcess<ReadRequest, ReadReply>({
    file: new URL("../read/import-process.ts", import.meta.url),
    timeoutMs: READ_TIMEOUT_MS,
    writableFolder: folder,
    idleMs: 60_000,
  });
  const apply = createApply(options);

  const finish = async (row: RowOf<"imports">, state: "done" | "failed", error: string | null): Promise<JobOutcome> => {
    if (state === "failed") await removeStaged(row.owner, row.id);
    await apply.clear(row);
    await removeStagingUser(row.owner, row.id);
    const where = { owner: row.owner, id: row.id };
    return {
      events: [],
      writes: [
        { do: "update", table: "imports", set: { state, error, updated_at: clock.now() }, where },
        { do: "delete", table: "import_pieces", where: { owner: row.owner, import_id: row.id } },
      ],
    };
  };

  const again = (row: RowOf<"imports">): JobOutcome => ({ events: [], writes: planRun(row, ids.next(), clock.now()) });

  const run = async (job: ClaimedJob, signal: AbortSignal): Promise<JobOutcome> => {
    const { owner, id } = job.body as { owner: string; id: string };
    const first = await read.importRow(owner, id);
    if (!first) return removeStaged(owner, id);
    if (first.state !== "running") return EMPTY_OUTCOME;
    const path = await materialize(read, folder, first);
    const until = clock.monotonic() + SLICE_MS;
    let row = first;
    const ask = async (request: Pick<ReadRequest, "position" | "place">): Promise<ReadReply> => {
      signal.throwIfAborted();
      return reader.request({ path, name: row.name, importId: id, folder, now: row.created_at, ...request });
    };
    try {
      for (let place: ReadRequest["place"]; ;) {
        const reply = await ask({ position: row.position, ...(place === undefined ? {} : { place }) });
        place = undefined;
        if (reply.kind === "end") {
          return await finish(row, "done", null);
        }
        if (reply.kind === "refused") return await finish(row, "failed", reply.text);
        const done = await apply.unit(row, reply, ask);
        if (!done) return await removeStaged(owner, id);
        row = done;
        if (clock.monotonic() >= until) return again(row);
      }
    } catch (error) {
      if (error instanceof LimitExceeded && error.limit !== "crash")
        return finish(row, "failed", `The file could not be read. ${error.message}`);
      throw error;
    }
  };

  /** The import was removed: what it had begun to store is removed too. */
  const removeStaged = async (owner: string, id: string): Promise<JobOutcome> => {
    const staging = stagingOwner(owner, id);
    await clearFiles(folder, id);
    for (const row of await read.threadsAfter(staging, "", 10)) await threads.remove({ userId: staging }, row.id);
    for (const row of await read.projectsAfter(staging, "", 10)) await projects.remove({ userId: staging }, row.id);
    await removeStagingUser(owner, id);
    return EMPTY_OUTCOME;
  };

  /** In a separate batch, which fails while the user owns anything. */
  const removeStagingUser = async (owner: string, id: string): Promise<void> => {
    const where = { id: stagingOwner(owner, id) };
    await log.commit({ events: [], writes: [{ do: "delete", table: "users", where }] });
  };

  const kind: JobKind = {
    kind: KIND,
    leaseMs: 10_000,
    maxAttempts: 8,
    run,
    giveUp: async (job) => {
      const { owner, id } = job.body as { owner: string; id: string };
      const row = await read.importRow(owner, id);
      if (!row) return EMPTY_OUTCOME;
      return finish(row, "failed", "The server failed while reading the file. See the server's log.");
    },
  };

  return { kind, close: () => reader.close() };
}

/** The file on this node's disk. */
async function materialize(
  read: Pick<Reads, "importPiece">,
  folder: string,
  { owner, id, size_bytes: sizeBytes }: RowOf<"imports">,
): Promise<string> {
  const path = join(folder, `import-${id}`);
  const known = await stat(path).catch(() => undefined);
  if (known?.size === sizeBytes) return path;
  await rm(path, { force: true });
  for (let n = 0; n * PIECE_BYTES < sizeBytes; n += 1) {
    const piece = await read.importPiece(owner, id, n);
    if (piece === undefined) throw new Error(`Piece ${n} of the import is missing.`);
    await appendFile(path, Buffer.from(piece, "base64"), { mode: 0o600 });
  }
  return path;
}

/** Plans a run of the job. Without its import, the job removes what the import has begun to store. */
export const planRun = ({ owner, id }: Pick<RowOf<"imports">, "owner" | "id">, jobId: string, now: number): Write[] =>
  planJob({ id: jobId, kind: KIND, key: id, threadId: null, ownerId: owner, body: { owner, id }, now });
