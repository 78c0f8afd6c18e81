import type { Kysely, RawBuilder } from "kysely";
import type { StreamName } from "../../../protocol/ids.ts";
import type { Tables, RowOf } from "../schema.ts";
import { readRuns } from "./runs.ts";
import { readBackground } from "./background.ts";
import { readContext } from "./context.ts";
import { readCosts } from "./costs.ts";
import { readGroups } from "./groups.ts";
import { readLimits } from "./limits.ts";
import { readLog, type Live } from "./log.ts";
import { readMembers } from "./members.ts";
import { readMemory } from "./memory.ts";
import { readPaths } from "./paths.ts";
import { readDigests } from "./projects/digest.ts";
import { readFiles, readPreview } from "./projects/files.ts";
import type { ListDialect } from "./projects/lists.ts";
import { readProjects } from "./projects/projects.ts";
import { readRecall } from "./recall.ts";
import { readAttachments } from "./attachments.ts";
import { readExport } from "./export.ts";
import { readAccounts } from "./accounts.ts";
import { readRetention, readSizes } from "./storage.ts";
import { readSettings } from "./settings.ts";
import { readSearch, type SearchQuery, type SearchRow } from "./search.ts";
import { createAsk, type Shapes } from "./cached-queries.ts";
import { readThreads } from "./threads.ts";
import { readTransfer } from "./transfer.ts";

/** Differences between the databases: clock in milliseconds, JSON in text columns, snapshots, text index, and deltas. */
/** A list as one parameter, so that lists of any length are the same statement. */
export type ListParameter = {
  readonly bind: (values: readonly string[]) => unknown;
  readonly holds: (bound: unknown, column: string) => RawBuilder<boolean>;
};

export type Dialect = ListDialect & {
  readonly listParameter: ListParameter;
  readonly nowMs: string;
  /** The size of the database, as an expression. */
  readonly databaseBytes: string;
  /** Unused space in its file, as an expression. */
  readonly freeBytes: string;
  readonly toJson: (column: string) => string;
  readonly inSnapshot: <T>(db: Kysely<Tables>, read: (db: Kysely<Tables>, live?: Live) => Promise<T>) => Promise<T>;
  readonly search: (db: Kysely<Tables>, query: SearchQuery) => Promise<readonly SearchRow[]>;
  /** For reads that scan the database, if they would block the server otherwise. */
  readonly scans?: Kysely<Tables>;
  readonly live?: Live;
  /** Resolves when no commit with deltas of this stream is pending. */
  readonly settled?: (stream: StreamName) => Promise<void> | undefined;
};

export type { SearchQuery, SearchRow } from "./search.ts";

/** All reads of the store. Each costs O(result), not O(thread). */
export type Reads = ReturnType<typeof readsWithin> & {
  /** Several reads in one snapshot. */
  readonly together: <T>(read: (reads: ReturnType<typeof readsWithin>) => Promise<T>) => Promise<T>;
};

export function createReads(db: Kysely<Tables>, dialect: Dialect): Reads {
  const shapes: Shapes = new Map();
  return {
    ...readsWithin(db, dialect, shapes),
    together: (read) =>
      dialect.inSnapshot(db, (within, live) => {
        const { settled: _, scans: __, ...rest } = dialect;
        return read(readsWithin(within, live ? { ...rest, live } : rest, shapes));
      }),
  };
}

const readsWithin = (db: Kysely<Tables>, dialect: Dialect, shapes: Shapes) => {
  const ask = createAsk(db, shapes);
  return {
    ...readLog(db, dialect, ask),
    ...readThreads(db, ask),
    ...readPaths(db, ask),
    ...readRuns(db, dialect, ask),
    ...readToolData(db),
    ...readBackground(db, ask),
    ...readMemory(db, ask),
    ...readContext(db, ask),
    ...readCosts(db, dialect),
    ...readRecall(db, ask),
    ...readDigests(db, ask),
    ...readFiles(db, ask),
    ...readProjects(db, dialect, ask),
    ...readPreview(db),
    ...readSettings(db, ask),
    ...readAccounts(db, ask),
    ...readLimits(db, ask),
    ...readMembers(db, ask),
    ...readGroups(db),
    ...readAttachments(db),
    ...readExport(db),
    ...readSizes(dialect.scans ?? db, dialect),
    ...readRetention(db),
    ...readTransfer(db),
    ...readSearch(db, dialect),
  };
};

type ArtifactLineRow = Pick<
  RowOf<"artifacts">,
  "id" | "ref" | "kind" | "title" | "url" | "type" | "untrusted" | "created_at"
> & { readonly characters: number };

/** Artifacts, grants, decisions, redacted values and MCP pins. */
const readToolData = (db: Kysely<Tables>) => ({
  artifact: (thread: string, ref: number): Promise<RowOf<"artifacts"> | undefined> =>
    db.selectFrom("artifacts").selectAll().where("thread", "=", thread).where("ref", "=", ref).executeTakeFirst(),

  /** Artifacts of a thread after a ref, with the length of their texts instead of the texts. */
  artifactLines: (thread: string, after: number, limit: number): Promise<readonly ArtifactLineRow[]> =>
    db
      .selectFrom("artifacts")
      .select(["id", "ref", "kind", "title", "url", "type", "untrusted", "created_at"])
      .select(({ fn }) => fn<number>("length", ["body"]).as("characters"))
      .where("thread", "=", thread)
      .where("ref", ">", after)
      .orderBy("ref")
      .limit(limit)
      .execute(),

  /** Metadata of artifacts, without their texts. */
  artifactMetas: async (thread: string, refs: readonly number[]): Promise<readonly string[]> => {
    if (refs.length === 0) return [];
    const rows = await db
      .selectFrom("artifacts")
      .select("meta")
      .where("thread", "=", thread)
      .where("ref", "in", refs)
      .execute();
    return rows.map(({ meta }) => meta);
  },

  /** The highest ref in the thread, or 0. */
  lastRef: async (thread: string): Promise<number> => {
    const row = await db
      .selectFrom("artifacts")
      .select("ref")
      .where("thread", "=", thread)
      .orderBy("ref", "desc")
      .limit(1)
      .executeTakeFirst();
    return row?.ref ?? 0;
  },

  /** The highest ref of this address in the thread. */
  lastRefOf: async (thread: string, url: string): Promise<number | undefined> => {
    const row = await db
      .selectFrom("artifacts")
      .select("ref")
      .where("thread", "=", thread)
      .where("url", "=", url)
      .orderBy("ref", "desc")
      .limit(1)
      .executeTakeFirst();
    return row?.ref;
  },

  grants: async (thread: string): Promise<ReadonlySet<string>> => {
    const rows = await db.selectFrom("grants").select("key").where("thread", "=", thread).execute();
    return new Set(rows.map(({ key }) => key));
  },

  decisions: (run: string): Promise<readonly RowOf<"decisions">[]> =>
    db.selectFrom("decisions").selectAll().where("run", "=", run).execute(),

  hiddenValues: (thread: string): Promise<readonly RowOf<"hidden_values">[]> =>
    db.selectFrom("hidden_values").selectAll().where("thread", "=", thread).execute(),

  mcpPins: (owner: string, server: string): Promise<readonly RowOf<"mcp_pins">[]> =>
    db.selectFrom("mcp_pins").selectAll().where("owner", "=", owner).where("server", "=", server).execute(),
});
