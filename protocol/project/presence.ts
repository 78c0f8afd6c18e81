import { z } from "zod";
import { ClientId } from "../ids.ts";

/** A tab without a report for this long counts as closed. */
export const PRESENCE_MS = 25_000;
/** Name of the server-sent event. It has no id, because it is not stored. */
export const PRESENCE_EVENT = "presence";

/** A user who has a shared thread open. */
export const PresentUser = z.object({ id: z.string(), name: z.string(), typing: z.boolean() });
export type PresentUser = z.infer<typeof PresentUser>;

/** Everyone who has a shared thread open, by name, the reader included. */
export const Present = z.object({ people: z.array(PresentUser).readonly() });
export type Present = z.infer<typeof Present>;

export const presenceApi = {
  markPresent: {
    summary:
      "Report that a shared thread is open in this tab, or was closed, and get who else has it open. Nothing is stored. In a private thread the list is empty",
    params: z.object({ threadId: ClientId }),
    query: z.object({}),
    body: z
      .object({
        /** Chosen by the tab. A user may have several. */
        tab: ClientId,
        state: z.enum(["open", "typing", "closed"]),
      })
      .strict(),
    status: 200,
    response: Present,
  },
} as const;
