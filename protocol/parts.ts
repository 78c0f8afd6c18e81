import { z } from "zod";

/**
 * What a message is made of. A part is immutable once it is settled; while it streams it lives only in deltas.
 * Stored shapes carry `v`, and a reader that meets a higher one refuses to guess.
 */
export const PART_VERSION = 1;

const base = {
  id: z.string(),
  v: z.literal(PART_VERSION),
  /** Order within the message. */
  n: z.number().int().nonnegative(),
  /** The run's step that made it; 0 for what a person wrote. */
  step: z.number().int().nonnegative(),
  /** Set on the parts of an abandoned attempt: readable, counted, outside every prompt. */
  aside: z.string().optional(),
  /** Untrusted sources that it may derive from; see `context/untrusted.ts`. */
  untrusted: z.array(z.string()).readonly().optional(),
};

const Json = z.unknown();

export const TextPart = z.object({
  ...base,
  kind: z.literal("text"),
  /** `cut`: the stream ended before the model said it was done. */
  state: z.enum(["streaming", "done", "cut"]),
  text: z.string(),
  /** Continues the text part before it, without a break: the answer was interrupted between the two. */
  joined: z.literal(true).optional(),
});

export const ReasoningPart = z.object({
  ...base,
  kind: z.literal("reasoning"),
  state: z.enum(["streaming", "done", "cut"]),
  text: z.string(),
  /** Opaque provider fields that must go back unchanged with the next request. */
  provider: Json.optional(),
});

export const Progress = z.object({ text: z.string(), done: z.number().optional(), of: z.number().optional() });
export type Progress = z.infer<typeof Progress>;

/** `asking`: the person is to allow it. Terminal: ok, error, denied, cancelled, unknown. Every call ends in one of them. */
export const toolStates = [
  "input-streaming",
  "ready",
  "asking",
  "running",
  "ok",
  "error",
  "denied",
  "cancelled",
  "unknown",
] as const;

export const ToolPart = z.object({
  ...base,
  kind: z.literal("tool"),
  callId: z.string(),
  name: z.string(),
  state: z.enum(toolStates),
  /** The raw argument text while it streams, and when it could not be parsed. */
  inputText: z.string().optional(),
  input: Json.optional(),
  output: Json.optional(),
  errorText: z.string().optional(),
  /** The action in words. */
  title: z.string().optional(),
  /** While it runs: what it is doing. */
  progress: Progress.optional(),
  /** While it waits for the person: why it asks. */
  asks: z.object({ code: z.string(), text: z.string() }).optional(),
  /** Told to the person and to the model beside the result. */
  note: z.string().optional(),
  /** What the model reads in place of the output, fixed when it came in; without it the output is short enough itself. */
  digest: z.string().optional(),
  /** What the tool says of the call in a line: for the ledger and for summaries. */
  gist: z.string().optional(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  /** Secrets that were taken out of the result. */
  redacted: z.number().optional(),
  provider: Json.optional(),
});

export const FilePart = z.object({
  ...base,
  kind: z.literal("file"),
  mediaType: z.string(),
  name: z.string().optional(),
  /** Base64, of a file that a model made. */
  content: z.string().optional(),
  /** Of a file that the person attached: where it is kept. */
  attachmentId: z.string().optional(),
  hash: z.string().optional(),
  sizeBytes: z.number().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  /** The number that its text is kept under. */
  ref: z.number().optional(),
  /** What the model reads of it, fixed when it was sent. */
  digest: z.string().optional(),
});

export const SourcePart = z.object({
  ...base,
  kind: z.literal("source"),
  sourceType: z.enum(["url", "document"]),
  url: z.string().optional(),
  title: z.string().optional(),
  mediaType: z.string().optional(),
  /** Evidence of a tool: `found` by a search, `read` as a page, or `failed` with its error. */
  status: z.enum(["found", "read", "failed"]).optional(),
  /** A search returned it, whatever became of it later. */
  found: z.literal(true).optional(),
  relevance: z.number().optional(),
  /** The number that the answer cites it by, and the kept copy. */
  ref: z.number().optional(),
  artifactId: z.string().optional(),
  error: z.string().optional(),
});

export const DataPart = z.object({ ...base, kind: z.literal("data"), name: z.string(), value: Json });

/**
 * What stood ahead of the person's words when this answer was asked for, frozen with it: the time, what has changed, what was
 * recalled. It belongs to the answer, so that another answer to the same words has its own.
 */
export const ContextPart = z.object({
  ...base,
  kind: z.literal("context"),
  /** As the model read it. */
  text: z.string(),
  /** The time that it tells. */
  at: z.number().optional(),
  /** Fields of memory that were told as changed; empty: forgotten. */
  memory: z.record(z.string(), z.string()).optional(),
  /** Pins that were told, by id. */
  pins: z.array(z.string()).readonly().optional(),
  /** Messages that passages were brought back from, in their order. */
  recalled: z
    .array(
      z.object({
        messageId: z.string(),
        depth: z.number(),
        role: z.string(),
        at: z.number(),
        score: z.number(),
        text: z.string(),
      }),
    )
    .readonly()
    .optional(),
  /** What was told of the work, and what it was read at. */
  digests: z
    .array(z.object({ name: z.string(), at: z.string() }))
    .readonly()
    .optional(),
});

/** Something the system says to the person; never sent to a model. */
export const NoticePart = z.object({
  ...base,
  kind: z.literal("notice"),
  level: z.enum(["info", "warning", "error"]),
  code: z.string(),
  text: z.string(),
});

/** The boundary that opens a step: which model was asked, at which attempt. */
export const StepPart = z.object({
  ...base,
  kind: z.literal("step"),
  attempt: z.number().int().positive(),
  model: z.string(),
});

export const Part = z.discriminatedUnion("kind", [
  TextPart,
  ReasoningPart,
  ToolPart,
  FilePart,
  SourcePart,
  DataPart,
  NoticePart,
  StepPart,
  ContextPart,
]);

export type Part = z.infer<typeof Part>;
export type PartKind = Part["kind"];
export type PartOf<K extends PartKind> = Extract<Part, { kind: K }>;
export type ToolState = (typeof toolStates)[number];

export const isTerminal = (state: ToolState): boolean =>
  state !== "input-streaming" && state !== "ready" && state !== "asking" && state !== "running";
