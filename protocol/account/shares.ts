import { z } from "zod";
import { ClientId } from "../ids.ts";

/** A part of a shared message. Tools are told by name and outcome, never by what they were given or returned. */
export const SharedPart = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.string() }),
  z.object({ kind: z.literal("tool"), name: z.string(), title: z.string(), state: z.string() }),
  z.object({
    kind: z.literal("source"),
    title: z.string(),
    /** Only addresses of the open web, without what may be secret in them. */
    url: z.string().nullable(),
    /** The number that the answer cites it by. */
    ref: z.number().nullable(),
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

/** What whoever has the link sees: the active path as it was when it was shared, with secrets taken out. */
export const SharedThread = z.object({
  title: z.string(),
  sharedAt: z.number(),
  messages: z.array(SharedMessage),
  /** Earlier messages than these were left out because there were too many. */
  leftOut: z.number(),
});
export type SharedThread = z.infer<typeof SharedThread>;

/** A share as its owner sees it; its link was told when it was made. */
export const Share = z.object({
  id: z.string(),
  threadId: z.string(),
  title: z.string(),
  messages: z.number(),
  /** How many secrets were taken out. */
  redacted: z.number(),
  createdAt: z.number(),
});
export type Share = z.infer<typeof Share>;

const none = z.object({});
const thread = z.object({ threadId: ClientId });

export const shareApi = {
  createShare: {
    summary: "Share a read-only snapshot of a thread as it is now. The link is told only here: whoever has it can read",
    params: thread,
    query: none,
    body: z.object({ id: ClientId }).strict(),
    status: 201,
    response: z.object({
      share: Share,
      token: z.string(),
      /** On this instance, as `/s/TOKEN`. */
      path: z.string(),
    }),
  },
  listShares: {
    summary: "What you share, newest first",
    params: none,
    query: z.object({ threadId: ClientId.optional() }),
    body: null,
    status: 200,
    response: z.object({ shares: z.array(Share) }),
  },
  revokeShare: {
    summary: "End a share: its link leads nowhere from then on",
    params: z.object({ shareId: ClientId }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  getShared: {
    summary: "Read what was shared under a link. Needs no sign-in; nothing else can be reached by it",
    params: z.object({ token: z.string().regex(/^[\w-]{43}$/, "this is not a link of ours") }),
    query: none,
    body: null,
    status: 200,
    response: SharedThread,
  },
} as const;
