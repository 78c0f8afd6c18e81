import { z } from "zod";
import { Sentences } from "../run.ts";

/** Problems that the server recognizes. The page says in words what each means and what to do. */
const healthCodes = [
  "not-ready",
  "disk-full",
  "disk-low",
  "no-backups",
  "no-backup-yet",
  "backup-overdue",
  "backup-open",
  "node-lost",
  "node-version",
  "jobs-late",
  "jobs-failed",
  "provider-failing",
  "no-mail",
] as const;

export const HealthProblem = z.object({
  code: z.enum(healthCodes),
  /** `note`: nothing is wrong, but something is missing that many servers have. */
  level: z.enum(["problem", "warning", "note"]),
  /** The node, the kind of job or the provider; for `not-ready` the reason in English. */
  name: z.string(),
  /** When it was last well: the newest backup, the last sign of life, or when the oldest job was due. */
  at: z.number().nullable(),
  /** Failed jobs. */
  count: z.number(),
});
export type HealthProblem = z.infer<typeof HealthProblem>;

export const Health = z.object({
  version: z.string(),
  /** Version of Node.js. */
  runtime: z.string(),
  startedAt: z.number(),
  /** By the clock that the times below are from. */
  now: z.number(),
  isReady: z.boolean(),
  /** The most important first. */
  problems: z.array(HealthProblem),
  database: z.object({
    kind: z.enum(["sqlite", "postgres"]),
    bytes: z.number(),
    /** On the disk of the data folder; null if it cannot be read. With PostgreSQL, the database is elsewhere. */
    diskFreeBytes: z.number().nullable(),
  }),
  /** Servers on this database; with SQLite only this one. */
  nodes: z.array(
    z.object({
      id: z.string(),
      host: z.string(),
      version: z.string(),
      startedAt: z.number(),
      seenAt: z.number(),
      isThis: z.boolean(),
      isLost: z.boolean(),
    }),
  ),
  /** null: the server makes none itself. */
  backups: z
    .object({
      lastAt: z.number().nullable(),
      everyMs: z.number(),
      isOverdue: z.boolean(),
      isEncrypted: z.boolean(),
    })
    .nullable(),
  /** Background jobs by kind, of all nodes. */
  jobs: z.array(z.object({ kind: z.string(), waiting: z.number(), running: z.number() })),
  /** Answers of all nodes: being written, waiting for a user, and messages without a run yet. */
  runs: z.object({ active: z.number(), waiting: z.number(), queued: z.number() }),
  /** Providers whose last test failed. */
  providers: z.array(
    z.object({ id: z.string(), label: z.string(), text: z.string(), sentences: Sentences.optional(), at: z.number() }),
  ),
  hasMail: z.boolean(),
});
export type Health = z.infer<typeof Health>;

const none = z.object({});

export const healthApi = {
  getHealth: {
    summary: "State of this server and its problems: database, nodes, backups, jobs, answers, providers and mail",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: Health,
  },
} as const;
