import { z } from "zod";
import { ThreadSummary } from "../events.ts";
import { ClientId } from "../ids.ts";
import { Text } from "../text.ts";

/** A part of a shared message. Tool calls show only name and outcome, never their input or output. */
export const SharedPart = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.string() }),
  z.object({ kind: z.literal("tool"), name: z.string(), title: z.string(), state: z.string() }),
  z.object({
    kind: z.literal("source"),
    title: z.string(),
    /** Public http(s) addresses only, with possible secrets removed. */
    url: z.string().nullable(),
    /** Citation number in the answer. A page that was both found and read has two numbers; this is the first one that the answer cites. */
    ref: z.number().nullable(),
    /** All numbers under which the answer cites it, if there are several. */
    refs: z.array(z.number()).optional(),
  }),
  z.object({ kind: z.literal("notice"), level: z.enum(["info", "warning", "error"]), text: z.string() }),
  z.object({ kind: z.literal("file"), name: z.string(), mediaType: z.string() }),
]);
export type SharedPart = z.infer<typeof SharedPart>;

export const SharedMessage = z.object({
  role: z.enum(["user", "assistant"]),
  createdAt: z.number(),
  model: z.string().nullable(),
  parts: z.array(SharedPart),
});
export type SharedMessage = z.infer<typeof SharedMessage>;

/** Visible to anyone with the link: the active path at the time of sharing, with secrets removed. */
export const SharedThread = z.object({
  title: z.string(),
  sharedAt: z.number(),
  /** The name that the user gave. */
  sharedBy: z.string().optional(),
  messages: z.array(SharedMessage),
  /** Number of earlier messages omitted because the thread was too long. */
  leftOut: z.number(),
});
export type SharedThread = z.infer<typeof SharedThread>;

/** A share as its owner sees it. The link itself is returned only by `createShare`. */
export const Share = z.object({
  id: z.string(),
  threadId: z.string(),
  title: z.string(),
  messages: z.number(),
  /** Number of secrets removed. */
  redacted: z.number(),
  createdAt: z.number(),
  /** Only signed-in users of this server can open it. */
  people: z.boolean(),
});
export type Share = z.infer<typeof Share>;

const none = z.object({});
const thread = z.object({ threadId: ClientId });

export const shareApi = {
  createShare: {
    summary:
      "Share a read-only snapshot of a thread. The link is returned only here; anyone with the link can read the snapshot",
    params: thread,
    query: none,
    body: z
      .object({
        id: ClientId,
        /** Your name, shown to readers. Without it none is shown. */
        name: Text.trim().min(1).max(100).optional(),
        /** Only signed-in users of this server can open the link. Needs accounts. */
        people: z.boolean().default(false),
      })
      .strict(),
    status: 201,
    response: z.object({
      share: Share,
      token: z.string(),
      /** Path on this instance: `/s/TOKEN`. */
      path: z.string(),
    }),
  },
  listShares: {
    summary: "Your shares, newest first",
    params: none,
    query: z.object({ threadId: ClientId.optional() }),
    body: null,
    status: 200,
    response: z.object({ shares: z.array(Share) }),
  },
  revokeShare: {
    summary: "Revoke a share. Its link stops working",
    params: z.object({ shareId: ClientId }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  getShared: {
    summary:
      "Read a shared thread by its link. No sign-in needed; the link gives access to nothing else. A link for signed-in users answers 401",
    params: z.object({ token: z.string().regex(/^[\w-]{43}$/, "not a valid share link") }),
    query: none,
    body: null,
    status: 200,
    response: SharedThread,
  },
  getSharedAsUser: {
    summary: "Read a shared thread by its link, as a signed-in user of this server",
    params: z.object({ token: z.string().regex(/^[\w-]{43}$/, "not a valid share link") }),
    query: none,
    body: null,
    status: 200,
    response: SharedThread,
  },
  copyShared: {
    summary: "Copy a shared thread by its link into a new private thread, to continue it",
    params: z.object({ token: z.string().regex(/^[\w-]{43}$/, "not a valid share link") }),
    query: none,
    body: z.object({ id: ClientId }).strict(),
    status: 201,
    response: ThreadSummary,
  },
} as const;
