import { z } from "zod";

const Amount = z.object({ count: z.number(), bytes: z.number() });
const Days = z.number().nullable();

export const StorageReport = z.object({
  measuredAt: z.number(),
  /** With indexes and everything that the amounts below do not count. */
  database: z.object({ kind: z.enum(["sqlite", "postgres"]), bytes: z.number() }),
  /** Bytes of content by kind. */
  content: z.object({
    messages: z.number(),
    files: z.number(),
    artifacts: z.number(),
    receipts: z.number(),
    search: z.number(),
    events: z.number(),
  }),
  /** The accounts with the most content, largest first. Empty without accounts. */
  accounts: z.array(
    z.object({
      id: z.string(),
      /** null: a deleted account whose threads are still being deleted, or threads from before accounts were turned on. */
      email: z.string().nullable(),
      threads: z.number(),
      bytes: z.number(),
    }),
  ),
  /** All other accounts. */
  otherAccounts: z.object({ count: z.number(), threads: z.number(), bytes: z.number() }),
  /** The largest threads with everything that is deleted with them. */
  largestThreads: z.array(
    z.object({
      /** Of the owner's account. */
      email: z.string().nullable(),
      bytes: z.number(),
      /** null: the thread of another user. Admins do not see what it is about. */
      own: z.object({ id: z.string(), title: z.string(), updatedAt: z.number() }).nullable(),
    }),
  ),
  freeable: z.object({
    /** Content that rules with this number of days would delete now. */
    ages: z.array(z.object({ days: z.number(), threads: Amount, receipts: Amount })),
    /** Copies from before migrations, which the server removes. null with PostgreSQL. */
    copiesBytes: z.number().nullable(),
    /** Unused space in the file. null with PostgreSQL. */
    unusedBytes: z.number().nullable(),
  }),
  /** The retention rules that are set. null: nothing is archived or deleted automatically. */
  rules: z.object({ archiveThreadsDays: Days, deleteThreadsDays: Days, deleteReceiptsDays: Days }),
});
export type StorageReport = z.infer<typeof StorageReport>;

const none = z.object({});

export const storageApi = {
  getStorage: {
    summary:
      "What is stored by kind, account and thread, what can be freed, and the retention rules. Only threads of the caller have titles",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: StorageReport,
  },
} as const;
