import { z } from "zod";
import { ClientId } from "./ids.ts";
import { Text } from "./text.ts";

/**
 * Unsent text: one draft per thread, and one for a new thread. The write with the latest client time wins, unless it names
 * a version (`was`). `version`
 * increases with each change, so a page that hears of a higher version refetches the draft. Sending the message clears
 * it.
 */
export const Draft = z.object({
  /** null: the draft for a new thread. */
  threadId: z.string().nullable(),
  text: z.string(),
  /** Client time of the write, never later than the server's time. */
  at: z.number(),
  version: z.number(),
});
export type Draft = z.infer<typeof Draft>;

const none = z.object({});
const thread = z.object({ threadId: ClientId });
const body = z
  .object({
    text: Text.max(100_000),
    at: z.number().int().min(0).max(8_640_000_000_000_000),
    /**
     * The version that the client edited, if known. A write based on the current version is always stored, regardless
     * of clocks; one based on another version never replaces or deletes a text that the client has not seen.
     */
    was: z.number().int().min(0).optional(),
    /** The text replaces version `was` without continuing it, so other devices keep that version's text. */
    apart: z.boolean().optional(),
  })
  .strict();
/** `draft` is the current draft: yours if `kept`, otherwise one written elsewhere. */
const set = { status: 200, response: z.object({ kept: z.boolean(), draft: Draft }) } as const;
const get = { body: null, status: 200, response: z.object({ draft: Draft }) } as const;

export const draftApi = {
  listDrafts: {
    summary: "Your drafts, newest first",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ drafts: z.array(Draft) }),
  },
  getDraft: {
    summary: "Your draft in a thread; version 0 if there never was one",
    params: thread,
    query: none,
    ...get,
  },
  setDraft: {
    summary: "Save a thread's draft. The write with the latest `at` wins. An empty text deletes the draft",
    params: thread,
    query: none,
    body,
    ...set,
  },
  getFirstDraft: {
    summary: "Your draft for a new thread",
    params: none,
    query: none,
    ...get,
  },
  setFirstDraft: {
    summary: "Save the draft for a new thread",
    params: none,
    query: none,
    body,
    ...set,
  },
} as const;
