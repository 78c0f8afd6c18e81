import { z } from "zod";
import { ClientId } from "./ids.ts";
import { questionLimits } from "./question.ts";
import { Text } from "./text.ts";

/** A text stored by a tool, such as a page at the time it was read. */
export const Artifact = z.object({
  id: z.string(),
  ref: z.number(),
  kind: z.string(),
  title: z.string(),
  url: z.string().nullable(),
  type: z.string(),
  /** SHA-256 of the text. */
  hash: z.string(),
  text: z.string(),
  createdAt: z.number(),
  /** Untrusted sources that the text may derive from. */
  untrusted: z.array(z.string()).optional(),
  /** The original file, if this is the text of an attachment. */
  attachment: z
    .object({
      id: z.string(),
      sizeBytes: z.number(),
      pageCount: z.number().nullable(),
      /** The share of the text that the model got with the message; 1 for all of it. */
      share: z.number(),
    })
    .nullable(),
});
export type Artifact = z.infer<typeof Artifact>;
/** List form: without the text, but with its length. */
const ArtifactLine = Artifact.omit({ text: true, hash: true, attachment: true }).extend({ characters: z.number() });
/** Passages of a thread that match a question, one entry per message. */
const Passage = z.object({
  messageId: z.string(),
  depth: z.number(),
  role: z.enum(["user", "assistant", "tool"]),
  at: z.number(),
  text: z.string(),
  untrusted: z.array(z.string()),
});
const ToolOffer = z.object({
  name: z.string(),
  description: z.string(),
  repeat: z.enum(["pure", "keyed", "once"]),
  effects: z.array(z.string()),
  /** You turned it off, or memory is off: no model is offered it or may call it. */
  off: z.literal(true).optional(),
  /** It works on the files of the thread's project. */
  needsProject: z.literal(true).optional(),
});
const Command = z.object({ command: z.string(), tool: z.string(), about: z.string() });

const thread = z.object({ threadId: ClientId });
const none = z.object({});
const Accepted = z.object({ id: z.string(), seq: z.number() });
const AnswerText = Text.max(questionLimits.answerCharacters);
const FieldAnswer = z.union([AnswerText, z.number(), z.boolean(), z.array(AnswerText).max(questionLimits.options + 1)]);

/** Tool calls that wait for the user, their results, and the list of tools. */
export const toolApi = {
  decideCall: {
    summary: "Approve or deny a tool call that waits for approval",
    params: thread,
    query: none,
    body: z
      .object({
        id: ClientId,
        /** The tool part that waits for approval. */
        partId: z.string().min(1).max(200),
        decision: z.enum(["once", "thread", "deny"]),
        /** Reason for a denial, sent to the model. */
        word: Text.max(1000).optional(),
      })
      .strict(),
    status: 202,
    response: Accepted,
  },
  answerQuestion: {
    summary: "Answer or skip a question of the model that the run waits for",
    params: thread,
    query: none,
    body: z
      .object({
        id: ClientId,
        /** The tool part that asks. */
        partId: z.string().min(1).max(200),
        /** By field name; a single question has one field, `answer`. null: skip the question. */
        answers: z.record(z.string().max(questionLimits.nameCharacters), FieldAnswer).nullable(),
      })
      .strict(),
    status: 202,
    response: Accepted,
  },
  listArtifacts: {
    summary: "Stored tool outputs and attached texts of a thread, oldest first, without their texts",
    params: thread,
    query: z.object({
      /** Only artifacts with a higher ref. */
      after: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    body: null,
    status: 200,
    response: z.object({ artifacts: z.array(ArtifactLine), nextAfter: z.number().nullable() }),
  },
  recallPassages: {
    summary: "Passages of a thread that match a question, in order of time, from anywhere on the active path",
    params: thread,
    query: z.object({ q: z.string().min(1).max(1000) }),
    body: null,
    status: 200,
    response: z.object({ passages: z.array(Passage) }),
  },
  getArtifact: {
    summary: "A stored tool output, such as a page at the time it was read",
    params: z.object({ threadId: ClientId, ref: z.coerce.number().int().min(1).max(1_000_000_000) }),
    query: none,
    body: null,
    status: 200,
    response: Artifact,
  },
  revealValue: {
    summary: "The secret behind a placeholder of this thread. Shown to you, not to the model",
    params: thread,
    query: none,
    body: z.object({ placeholder: z.string().min(1).max(200) }).strict(),
    status: 200,
    response: z.object({ value: z.string() }),
  },
  listTools: {
    summary: "The tools of this instance, their permissions, and the commands that call them",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ tools: z.array(ToolOffer), commands: z.array(Command) }),
  },
} as const;
