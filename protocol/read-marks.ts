import { z } from "zod";
import { ClientId } from "./ids.ts";

export const readMarksApi = {
  markSeen: {
    summary: "Mark a thread as read up to a time. A time before the current mark is ignored",
    params: z.object({ threadId: ClientId }),
    query: z.object({}),
    /** The thread's `updatedAt` as shown to the user. */
    body: z.object({ at: z.number().int().min(0).max(8_640_000_000_000_000) }).strict(),
    status: 200,
    response: z.object({ seenAt: z.number() }),
  },
} as const;
