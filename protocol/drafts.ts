import { z } from "zod";
import { ClientId } from "./ids.ts";

/**
 * What is being written and was not sent yet: one per thread, and one for the thread that is not there yet. The last writer
 * by its own time wins; `version` rises with each change, so a page that is told of a higher one asks for it. Sending the
 * message empties it.
 */
export const Draft = z.object({
  /** null: of the thread that is not there yet. */
  threadId: z.string().nullable(),
  text: z.string(),
  /** When it was written, by the writer's clock, never later than the server's. */
  at: z.number(),
  version: z.number(),
});
export type Draft = z.infer<typeof Draft>;

const none = z.object({});
const thread = z.object({ threadId: ClientId });
const body = z
  .object({
    text: z
      .string()
      .max(100_000)
      .refine(
        (text) => text.isWellFormed() && !text.includes("\u0000"),
        "the text is not valid Unicode or holds a NUL",
      ),
    at: z.number().int().min(0).max(8_640_000_000_000_000),
    /** The version this was written over, where it is known: then it is kept whatever the clocks say. */
    was: z.number().int().min(0).optional(),
  })
  .strict();
/** `draft` is what stands there now: yours if `kept`, otherwise one that was written later elsewhere. */
const set = { status: 200, response: z.object({ kept: z.boolean(), draft: Draft }) } as const;
const get = { body: null, status: 200, response: z.object({ draft: Draft }) } as const;

export const draftApi = {
  listDrafts: {
    summary: "Everything that you began to write and did not send, newest first",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ drafts: z.array(Draft) }),
  },
  getDraft: {
    summary: "What you began to write in a thread; version 0: nothing ever",
    params: thread,
    query: none,
    ...get,
  },
  setDraft: {
    summary: "Keep what is being written in a thread; the last writer by `at` wins. An empty text removes it",
    params: thread,
    query: none,
    body,
    ...set,
  },
  getFirstDraft: {
    summary: "What you began to write for a thread that is not there yet",
    params: none,
    query: none,
    ...get,
  },
  setFirstDraft: {
    summary: "Keep what is being written for a thread that is not there yet",
    params: none,
    query: none,
    body,
    ...set,
  },
} as const;
