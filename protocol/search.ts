import { z } from "zod";
import { ThreadSummary } from "./events.ts";
import { ClientId } from "./ids.ts";

/** `said`: threads and their titles. `fetched`: tool results. `written`: projects (documents, tasks and files). */
const searchKinds = ["said", "fetched", "written"] as const;
export type SearchKind = (typeof searchKinds)[number];

/** Where a hit leads. */
export const SearchTarget = z.discriminatedUnion("at", [
  z.object({ at: z.literal("thread"), threadId: z.string() }),
  z.object({ at: z.literal("message"), threadId: z.string(), messageId: z.string() }),
  z.object({
    at: z.literal("artifact"),
    threadId: z.string(),
    messageId: z.string(),
    ref: z.number(),
    /** True: attached by the user. Otherwise fetched by a tool. */
    attached: z.boolean().optional(),
  }),
  z.object({ at: z.literal("entity"), projectId: z.string(), entityId: z.string(), kind: z.string() }),
  z.object({ at: z.literal("file"), projectId: z.string(), path: z.string() }),
]);
export type SearchTarget = z.infer<typeof SearchTarget>;

export const SearchHit = z.object({
  kind: z.enum(searchKinds),
  target: SearchTarget,
  /** Title of the thread, page or document, or path of the file. */
  title: z.string(),
  /** null: the hit is in a project. */
  thread: ThreadSummary.nullable(),
  /** null: the hit is not in a message. */
  messageId: z.string().nullable(),
  snippet: z.string(),
  /** Matches within the snippet, as [start, end) in UTF-16 units. */
  marks: z.array(z.tuple([z.number(), z.number()])),
  at: z.number(),
});
export type SearchHit = z.infer<typeof SearchHit>;

const Moment = z.coerce.number().int().min(0).max(8_640_000_000_000_000).optional();

export const searchApi = {
  search: {
    summary: "Full-text search over threads, tool results and projects, newest first",
    params: z.object({}),
    query: z.object({
      q: z.string().min(1).max(200),
      limit: z.coerce.number().int().min(1).max(200).default(30),
      kind: z.enum(searchKinds).optional(),
      /** Only in threads of this project and in the project. */
      projectId: ClientId.optional(),
      /** Only in threads of this profile. */
      profile: ClientId.optional(),
      /** Milliseconds since 1970; `from` is inclusive, `to` exclusive. */
      from: Moment,
      to: Moment,
      /** Omitted: both. */
      archived: z.enum(["true", "false"]).optional(),
    }),
    body: null,
    status: 200,
    response: z.object({ hits: z.array(SearchHit) }),
  },
} as const;
