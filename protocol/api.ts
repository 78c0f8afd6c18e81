import { z } from "zod";
import { attachmentApi, AttachmentIds } from "./attachments.ts";
import { chatApi } from "./surfaces/chats.ts";
import { costApi } from "./cost-api.ts";
import { contextApi } from "./context/context-api.ts";
import { policyNames } from "./context/policy.ts";
import { summaryApi } from "./context/summary-api.ts";
import { LogEvent, MessageHead, QueuedInput, ThreadSummary } from "./events.ts";
import { ClientId } from "./ids.ts";
import { memoryApi } from "./memory-api.ts";
import { efforts } from "./model.ts";
import { Part } from "./parts.ts";
import { memberApi } from "./project/members.ts";
import { projectApi } from "./project/project-api.ts";
import { contextModes } from "./project/project.ts";
import type { RouteName } from "./routes.ts";
import { EarlyEnd, Reason, RunView, Usage } from "./run.ts";
import { serverApi } from "./mcp-servers.ts";
import { draftApi } from "./drafts.ts";
import { accountApi } from "./account/accounts.ts";
import { factorApi } from "./account/factors.ts";
import { exportApi } from "./account/export.ts";
import { healthApi } from "./account/health.ts";
import { storageApi } from "./account/storage.ts";
import { importApi } from "./account/imports.ts";
import { groupApi } from "./account/groups.ts";
import { keyApi } from "./account/keys.ts";
import { outsideApi } from "./account/outside.ts";
import { limitsApi } from "./account/limits.ts";
import { peopleApi } from "./account/people.ts";
import { personApi } from "./account/person.ts";
import { ModelInfo, modelApi } from "./settings/models.ts";
import { builtInProfiles, profileApi } from "./settings/profiles.ts";
import { preferenceApi } from "./settings/preferences.ts";
import { promptApi } from "./settings/prompts.ts";
import { pushApi } from "./settings/push.ts";
import { ownKeyApi } from "./settings/own-keys.ts";
import { providerApi } from "./settings/providers.ts";
import { searchApi } from "./search.ts";
import { presenceApi } from "./project/presence.ts";
import { readMarksApi } from "./read-marks.ts";
import { shareApi } from "./account/shares.ts";
import { Text } from "./text.ts";
import { toolApi } from "./tools.ts";
import { workspaceApi } from "./workspace/workspace-api.ts";

/**
 * Request and response schemas of every route. The server validates with them; OpenAPI and the client's types are
 * derived from them.
 */
export const limits = {
  messageCharacters: 100_000,
  researchMessageCharacters: 10_000,
  titleCharacters: 200,
  bodyBytes: 1_000_000,
  pageSize: 200,
  queuedInputs: 20,
} as const;

/** Longest message in a thread with this profile. */
export const maxMessageCharacters = (profile: string): number =>
  profile === "research" ? limits.researchMessageCharacters : limits.messageCharacters;

const Id = ClientId;
const ModelId = z.string().min(1).max(200);
const ProfileId = z.union([z.enum(builtInProfiles), Id]);
const Limit = z.coerce.number().int().min(1).max(limits.pageSize);
const Depth = z.coerce.number().int().min(0).max(1_000_000_000);
const MessageText = Text.min(1, "a message needs some text")
  .max(limits.messageCharacters)
  .refine((text) => text.trim() !== "", "a message cannot consist of white space only");
const Title = Text.trim().min(1).max(limits.titleCharacters);

const MessageView = MessageHead.extend({ parts: z.array(Part).readonly(), endedEarly: EarlyEnd.optional() });
export const ThreadSnapshot = z.object({
  seq: z.number(),
  thread: ThreadSummary,
  messages: z.array(MessageView).readonly(),
  queue: z.array(QueuedInput).readonly(),
  run: RunView.nullable(),
});
export { ModelInfo };
const Accepted = z.object({ id: z.string(), seq: z.number() });
export const ModelCall = z.object({
  id: z.string(),
  purpose: z.string(),
  step: z.number(),
  attempt: z.number(),
  model: z.string(),
  /** The model named by the provider, if it differs from the requested one. */
  answeredBy: z.string().nullable(),
  provider: z.string(),
  outcome: z.string(),
  reason: Reason.nullable(),
  usage: Usage,
  costUsd: z.number().nullable(),
  receiptId: z.string().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});
export const ErrorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    requestId: z.string(),
    /** On a conflict: the current state. */
    current: z.unknown().optional(),
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

const thread = z.object({ threadId: Id });
const message = z.object({ threadId: Id, messageId: Id });
const none = z.object({});

type RouteSchema = {
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodObject | null;
  readonly status: number;
  readonly response: z.ZodType;
  /** Responds with a file of one of these types instead of JSON. */
  readonly downloads?: readonly string[];
};

/** A command whose body is only its id. */
const commandRoute = {
  params: thread,
  query: none,
  body: z.object({ id: Id }).strict(),
  status: 202,
  response: Accepted,
} as const;

export const api = {
  ...accountApi,
  ...peopleApi,
  ...outsideApi,
  ...factorApi,
  ...modelApi,
  listThreads: {
    summary: "Threads, pinned first, then by last change",
    params: none,
    query: z.object({
      archived: z.enum(["true", "false"]).default("false"),
      /** Only threads of this project. */
      projectId: Id.optional(),
      cursor: z.string().max(300).optional(),
      limit: Limit.default(100),
    }),
    body: null,
    status: 200,
    response: z.object({ seq: z.number(), threads: z.array(ThreadSummary), nextCursor: z.string().nullable() }),
  },
  createThread: {
    summary: "Create a thread under a client-generated id",
    params: none,
    query: none,
    body: z.object({
      id: Id,
      title: Title.optional(),
      model: ModelId.optional(),
      /** Name of a built-in profile, or id of one of your profiles. */
      profile: ProfileId.default("stone"),
      /** Reasoning effort, for models that support it; medium if omitted. */
      effort: z.enum(efforts).optional(),
      projectId: Id.optional(),
      /** An entity of the project. */
      focusId: Id.optional(),
      mode: z.enum(contextModes).optional(),
      /** Excluded from lists, search and memory; deleted when you leave it, or a day after its last turn. */
      temporary: z.boolean().optional(),
      /** Whether the members of the project have access. Omitted: if the project has members and the thread is not temporary. */
      shared: z.boolean().optional(),
    }),
    status: 201,
    response: ThreadSummary,
  },
  getThread: {
    summary: "A thread's state at a seq: newest messages, queue and run. Continue with the stream from that seq",
    params: thread,
    query: z.object({ limit: Limit.default(50) }),
    body: null,
    status: 200,
    response: ThreadSnapshot,
  },
  changeThread: {
    summary:
      "Rename, pin, archive or keep a thread, or change its model, reasoning effort, profile, context policy or project",
    params: thread,
    query: none,
    body: z
      .object({
        id: Id,
        title: Title.optional(),
        pinned: z.boolean().optional(),
        archived: z.boolean().optional(),
        model: ModelId.optional(),
        profile: ProfileId.optional(),
        /** Context policy from the next message on; null: the profile's. */
        policy: z.enum(policyNames).nullable().optional(),
        /** Reasoning effort, for models that support it; null: medium. */
        effort: z.enum(efforts).nullable().optional(),
        projectId: Id.nullable().optional(),
        focusId: Id.nullable().optional(),
        mode: z.enum(contextModes).nullable().optional(),
        /** Keeps a temporary thread: from now on it is listed, searched and remembered like others. */
        temporary: z.literal(false).optional(),
        /**
         * `true`: the members of its project get access to all of the thread. The records of its earlier prompts are deleted,
         * because they may contain memory. `false`: only the user who started it has access.
         */
        shared: z.boolean().optional(),
      })
      .strict(),
    status: 200,
    response: Accepted,
  },
  deleteThread: {
    summary: "Delete a thread and its data; with `forget`, also memories from it. Its costs stay in the totals",
    params: thread,
    query: z.object({ forget: z.enum(["true", "false"]).default("false") }),
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  listMessages: {
    summary:
      "Messages of the active path: the newest, those before a depth, or those up to and including a given message",
    params: thread,
    query: z.object({ before: Depth.optional(), at: Id.optional(), limit: Limit.default(50) }),
    body: null,
    status: 200,
    response: z.object({ messages: z.array(MessageView).readonly() }),
  },
  sendMessage: {
    summary: "Send a message. It is durable when this returns; the answer arrives on the stream",
    params: thread,
    query: none,
    body: z
      .object({
        id: Id,
        /** May be empty if files are attached. */
        text: MessageText.or(z.literal("")),
        attachments: AttachmentIds,
        model: ModelId.optional(),
        mode: z.enum(["queue", "steer"]).default("queue"),
        draft: z
          .enum(["thread", "first"])
          .optional()
          .describe(
            "The draft that is cleared with the message if it has the same text. `first`: the one for a new thread.",
          ),
      })
      .strict(),
    status: 202,
    response: Accepted,
  },
  editMessage: {
    summary: "Edit a message: adds a variant and generates a new answer. A running answer stops",
    params: message,
    query: none,
    body: z
      .object({
        id: Id,
        text: MessageText.or(z.literal("")),
        /** Omitted: the attachments of the original message. */
        attachments: AttachmentIds,
        model: ModelId.optional(),
      })
      .strict(),
    status: 202,
    response: Accepted,
  },
  regenerateMessage: {
    summary: "Regenerate an answer. The old one stays as a variant",
    params: message,
    query: none,
    body: z.object({ id: Id, model: ModelId.optional() }).strict(),
    status: 202,
    response: Accepted,
  },
  activateMessage: { summary: "Switch to the branch of this variant", ...commandRoute, params: message },
  forkThread: {
    summary: "Copy the thread up to this message into a new thread under a client-generated id",
    params: message,
    query: none,
    body: z
      .object({
        id: Id,
        /** Omitted: the title of the original. */
        title: Title.optional(),
      })
      .strict(),
    status: 201,
    response: ThreadSummary,
  },
  stopRun: { summary: "Stop the running answer and keep its partial text", ...commandRoute },
  continueRun: {
    summary: "Continue the newest answer after a limit, a stop or a failure, with fresh limits",
    ...commandRoute,
  },
  retryRun: { summary: "Retry the parked answer of this thread. To discard it, stop it.", ...commandRoute },
  withdrawInput: {
    summary: "Withdraw a queued message",
    params: z.object({ threadId: Id, inputId: Id }),
    query: none,
    body: null,
    status: 200,
    response: Accepted,
  },
  listRuns: {
    summary: "The newest runs of a thread",
    params: thread,
    query: z.object({ limit: Limit.default(20) }),
    body: null,
    status: 200,
    response: z.object({ runs: z.array(RunView) }),
  },
  getRun: {
    summary: "A run with all its model calls",
    params: z.object({ threadId: Id, runId: Id }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ run: RunView, calls: z.array(ModelCall) }),
  },
  ...toolApi,
  ...memoryApi,
  ...projectApi,
  ...memberApi,
  ...workspaceApi,
  ...costApi,
  ...limitsApi,
  ...personApi,
  ...groupApi,
  ...serverApi,
  ...summaryApi,
  ...contextApi,
  ...searchApi,
  ...providerApi,
  ...ownKeyApi,
  ...healthApi,
  ...storageApi,
  ...profileApi,
  ...preferenceApi,
  ...pushApi,
  ...promptApi,
  ...draftApi,
  ...shareApi,
  ...exportApi,
  ...importApi,
  ...keyApi,
  ...readMarksApi,
  ...presenceApi,
  ...attachmentApi,
  ...chatApi,
} as const satisfies Record<RouteName, RouteSchema>;

type Api = typeof api;
export type Params<N extends RouteName> = z.infer<Api[N]["params"]>;
export type Query<N extends RouteName> = z.infer<Api[N]["query"]>;
export type QueryInput<N extends RouteName> = z.input<Api[N]["query"]>;
export type Body<N extends RouteName> = Api[N]["body"] extends z.ZodType ? z.infer<Api[N]["body"]> : undefined;
export type BodyInput<N extends RouteName> = Api[N]["body"] extends z.ZodType ? z.input<Api[N]["body"]> : undefined;
export type Response<N extends RouteName> = z.infer<Api[N]["response"]>;
export type ThreadSnapshot = z.infer<typeof ThreadSnapshot>;
export type { SearchHit } from "./search.ts";
export { LogEvent };
