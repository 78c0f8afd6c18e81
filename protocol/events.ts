import { z } from "zod";
import { policyNames } from "./context/policy.ts";
import { MemoryField } from "./memory.ts";
import { efforts } from "./model.ts";
import { Part } from "./parts.ts";
import { ActLine, contextModes, Project, Touched } from "./project/project.ts";
import { RunView } from "./run.ts";

export const EVENT_VERSION = 1;

export const ThreadSummary = z.object({
  id: z.string(),
  title: z.string(),
  preview: z.string(),
  profile: z.string(),
  model: z.string(),
  status: z.enum(["idle", "streaming", "waiting", "error"]),
  pinned: z.boolean(),
  archived: z.boolean(),
  messageCount: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** How its prompts are chosen; null: as its profile has it. */
  policy: z.enum(policyNames).nullable(),
  /** How hard its model is to think, where it can; null: medium. */
  effort: z.enum(efforts).nullable(),
  /** What it belongs to, what in it the talk is about, and how much of it the model is told; null: by the two. */
  projectId: z.string().nullable(),
  focusId: z.string().nullable(),
  mode: z.enum(contextModes).nullable(),
  /** In no list, search or memory; deleted when it is left, or a day after its last turn. */
  temporary: z.boolean(),
  /** Up to which `updatedAt` the person has seen it: see `isUnread` in `list-fold.ts`. */
  seenAt: z.number(),
});
export type ThreadSummary = z.infer<typeof ThreadSummary>;

/** A message without its parts: they follow as events of their own. */
export const MessageHead = z.object({
  id: z.string(),
  role: z.enum(["user", "assistant"]),
  branchId: z.string(),
  /** 1 for the first message of the path. */
  depth: z.number().int().positive(),
  runId: z.string().nullable(),
  /** All messages that stand at this place on some branch, oldest first, this one among them. */
  variants: z.array(z.string()),
  createdAt: z.number(),
});
export type MessageHead = z.infer<typeof MessageHead>;

/** An admitted input that waits for its turn. */
export const QueuedInput = z.object({
  id: z.string(),
  kind: z.enum(["message", "edit", "regenerate"]),
  /** `steer`: delivered at the running answer's next step; `queue`: after it. */
  mode: z.enum(["queue", "steer"]),
  text: z.string(),
  /** Of a message: files that go with it, by id. */
  attachments: z.array(z.string()).optional(),
  createdAt: z.number(),
});
export type QueuedInput = z.infer<typeof QueuedInput>;

const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/**
 * Everything that can stand in a stream. Each is safe to apply twice and says all that is needed to draw it.
 * Deltas (`text-delta`, `tool-input-delta`) may be removed once their part is settled; the settled part replaces them.
 */
export const LogEvent = z.discriminatedUnion("type", [
  event("thread-created", { thread: ThreadSummary }),
  event("thread-changed", { threadId: z.string(), patch: ThreadSummary.partial() }),
  event("thread-deleted", { threadId: z.string() }),
  event("input-queued", { input: QueuedInput }),
  event("input-withdrawn", { inputId: z.string() }),
  event("branch-activated", {
    branchId: z.string(),
    /** Messages deeper than this leave the view. */
    forkDepth: z.number(),
    /** True when the branch holds messages that no event after this one brings: ask for the tail. */
    reload: z.boolean(),
  }),
  event("message-added", { message: MessageHead }),
  event("text-delta", {
    messageId: z.string(),
    partId: z.string(),
    kind: z.enum(["text", "reasoning"]),
    n: z.number(),
    step: z.number(),
    joined: z.literal(true).optional(),
    text: z.string(),
  }),
  event("tool-input-delta", {
    messageId: z.string(),
    partId: z.string(),
    n: z.number(),
    step: z.number(),
    callId: z.string(),
    name: z.string(),
    text: z.string(),
  }),
  event("part-settled", { messageId: z.string(), part: Part }),
  event("run-started", { run: RunView }),
  event("run-stepped", { run: RunView }),
  event("run-ended", { run: RunView }),
  /** What stands behind the prompts of this thread is another: compactions, summaries, pins. Ask for it. */
  event("context-changed", { what: z.enum(["epochs", "summaries", "pins", "state"]) }),
  /** In a person's stream: what is remembered in these fields is another. */
  event("memory-changed", { fields: z.array(MemoryField) }),
  /** In a person's stream: a project is new or another; null: it is gone. */
  event("project-changed", { projectId: z.string(), project: Project.nullable() }),
  /** In a project's stream: something was done there. */
  event("project-acted", { act: ActLine, touched: z.array(Touched) }),
  /** In a project's stream: its preview has reported. */
  event("preview-reported", { seq: z.number(), kept: z.number() }),
  /** In a person's stream: a draft is another; ask for it where its version is above the one you have. null: the first one. */
  event("draft-changed", { threadId: z.string().nullable(), at: z.number(), empty: z.boolean() }),
  /** Providers, their keys or addresses are others: ask for providers and models. */
  event("providers-changed", {}),
  /** In a person's stream: their profiles are others. */
  event("profiles-changed", { profileId: z.string() }),
  /** In a person's stream: what they share is another. */
  event("shares-changed", { threadId: z.string() }),
  /** In a person's stream: all that was theirs is gone. Begin as at the first start. */
  event("everything-deleted", {}),
]);
export type LogEvent = z.infer<typeof LogEvent>;
export type EventType = LogEvent["type"];
export type EventOf<T extends EventType> = Extract<LogEvent, { type: T }>;
