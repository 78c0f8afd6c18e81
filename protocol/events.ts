import { z } from "zod";
import { policyNames } from "./context/policy.ts";
import { MemoryField } from "./memory.ts";
import { efforts } from "./model.ts";
import { Part } from "./parts.ts";
import { ActLine, contextModes, Project, ChangedItem } from "./project/project.ts";
import { MessageAuthor, ProjectRole } from "./project/members.ts";
import { RunView } from "./run.ts";

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
  /** Context policy; null: the profile's. */
  policy: z.enum(policyNames).nullable(),
  /** Reasoning effort, for models that support it; null: medium. */
  effort: z.enum(efforts).nullable(),
  /**
   * The thread's project, the entity in focus, and how much of the project the model gets; a null mode is derived from
   * the first two.
   */
  projectId: z.string().nullable(),
  focusId: z.string().nullable(),
  mode: z.enum(contextModes).nullable(),
  /** Excluded from lists, search and memory; deleted when the user leaves it, or a day after its last turn. */
  temporary: z.boolean(),
  /** The user has read the thread up to this `updatedAt`; see `isUnread` in `list-fold.ts`. */
  seenAt: z.number(),
  /** The members of its project have access. Absent: only you. */
  shared: z.boolean().optional(),
  /** Your role, only in shared threads. Events are for all users and do not have it. */
  role: ProjectRole.optional(),
});
export type ThreadSummary = z.infer<typeof ThreadSummary>;

/** A message without its parts, which follow as separate events. */
export const MessageHead = z.object({
  id: z.string(),
  role: z.enum(["user", "assistant"]),
  branchId: z.string(),
  /** 1 for the first message of the path. */
  depth: z.number().int().positive(),
  runId: z.string().nullable(),
  /** All messages at this depth with the same parent, on any branch, oldest first, including this one. */
  variants: z.array(z.string()),
  createdAt: z.number(),
  /** Who wrote a user message; only in shared threads. */
  author: MessageAuthor.optional(),
});
export type MessageHead = z.infer<typeof MessageHead>;

/** An admitted input that is waiting to be delivered. */
export const QueuedInput = z.object({
  id: z.string(),
  kind: z.enum(["message", "edit", "regenerate"]),
  /** `steer`: stops the running model call and is answered next, or is delivered after running tool calls; `queue`: after the answer. */
  mode: z.enum(["queue", "steer"]),
  text: z.string(),
  /** Attachment ids; only for messages. */
  attachments: z.array(z.string()).optional(),
  createdAt: z.number(),
  /** Only in shared threads. */
  author: MessageAuthor.optional(),
});
export type QueuedInput = z.infer<typeof QueuedInput>;

const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/**
 * Applying an event twice is safe, and each carries everything needed to render it. Deltas (`text-delta`,
 * `tool-input-delta`) may be deleted once their part is settled; the settled part replaces them.
 */
const shared = [
  event("thread-created", { thread: ThreadSummary }),
  event("thread-changed", { threadId: z.string(), patch: ThreadSummary.partial() }),
  event("thread-deleted", { threadId: z.string() }),
] as const;

const ofThread = [
  event("input-queued", { input: QueuedInput }),
  event("input-withdrawn", { inputId: z.string() }),
  event("branch-activated", {
    branchId: z.string(),
    /** Messages deeper than this are removed from the view. */
    forkDepth: z.number(),
    /** True if the branch has messages that no later event delivers: refetch the tail. */
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
  /** Compactions, summaries, pins or state changed: refetch the context. */
  event("context-changed", { what: z.enum(["epochs", "summaries", "pins", "state"]) }),
] as const;

/** Providers, their keys or addresses changed: refetch providers and models. */
const providersChanged = event("providers-changed", {});

const ofUser = [
  /** These memory fields changed. */
  event("memory-changed", { fields: z.array(MemoryField) }),
  /** A project was created or changed; null: it was deleted. */
  event("project-changed", { projectId: z.string(), project: Project.nullable() }),
  /**
   * A draft changed; refetch it if its version is newer than yours. null: the draft for a new thread. `was`: the version
   * that its writer edited; absent if the writer did not know the version it replaced.
   */
  event("draft-changed", {
    threadId: z.string().nullable(),
    at: z.number(),
    empty: z.boolean(),
    was: z.number().optional(),
  }),
  providersChanged,
  event("profiles-changed", { profileId: z.string() }),
  event("preferences-changed", {}),
  event("prompts-changed", {}),
  event("shares-changed", { threadId: z.string() }),
  event("keys-changed", {}),
  /** All the user's data was deleted. Start over as on first use. */
  event("everything-deleted", {}),
] as const;

const ofProject = [
  event("project-acted", { act: ActLine, touched: z.array(ChangedItem) }),
  /** Members or their roles changed: refetch them. */
  event("members-changed", {}),
  /** The preview reported log entries. */
  event("preview-reported", { seq: z.number(), kept: z.number() }),
] as const;

/** All events of all streams. */
export const LogEvent = z.discriminatedUnion("type", [...shared, ...ofThread, ...ofUser, ...ofProject]);
export type LogEvent = z.infer<typeof LogEvent>;
export type EventType = LogEvent["type"];
export type EventOf<T extends EventType> = Extract<LogEvent, { type: T }>;

type AnyOf<T extends readonly z.ZodType[]> = z.infer<T[number]>;
export type ThreadEvent = AnyOf<typeof shared> | AnyOf<typeof ofThread>;
export type UserEvent = AnyOf<typeof shared> | AnyOf<typeof ofUser>;
/** In the stream of a project, the shared events are about its shared threads. */
export type ProjectEvent = AnyOf<typeof shared> | AnyOf<typeof ofProject>;
export type SettingsEvent = z.infer<typeof providersChanged>;
