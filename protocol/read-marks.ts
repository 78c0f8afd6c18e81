import { z } from "zod";
import { ClientId } from "./ids.ts";

export const readMarksApi = {
  markSeen: {
    summary: "You have seen a thread up to this time; earlier marks than the one there change nothing",
    params: z.object({ threadId: ClientId }),
    query: z.object({}),
    /** The thread's `updatedAt` as you saw it. */
    body: z.object({ at: z.number().int().min(0).max(8_640_000_000_000_000) }).strict(),
    status: 200,
    response: z.object({ seenAt: z.number() }),
  },
} as const;
