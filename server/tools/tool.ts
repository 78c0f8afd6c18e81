import type { z } from "zod";
import type { Sources } from "../../protocol/context/untrusted.ts";
import type { Answers, QuestionInput } from "../../protocol/question.ts";
import type { Text } from "../../protocol/sentences.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { LogEntry } from "../log/log.ts";
import type { Fetch } from "../net/fetch.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { ToolGroup } from "./group.ts";

/**
 * The contract of a tool. To add a tool, add a file `name.tool.ts` anywhere in this folder whose default export is a
 * `CreateTool`: `loadTools` finds it, and its `group` says when it is offered (docs/how-to.md). `repeat` says what to do after a crash between the effect and its result:
 *   pure   no effect: run it again
 *   keyed  the effect is idempotent under `key`: run it again with the same key
 *   once   neither: the outcome is unknown, is reported as unknown, and the call is not repeated automatically
 */
export type Tool<Input = unknown> = {
  readonly name: string;
  /** Other names that a model may call it by. Only `name` is offered. */
  readonly aliases?: readonly string[];
  /** Offered to every profile that has no fixed list of tools, before tools of other groups if there are too many. */
  readonly always?: true;
  /** When it is offered; always if it has no group. */
  readonly group?: ToolGroup;
  /** Written for the model. Keep it short: it is part of every prompt that offers the tool. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** A result that does not match this schema makes the call fail. */
  readonly output?: z.ZodType;
  readonly repeat: "pure" | "keyed" | "once";
  /** Used by the approval policy: `destructive` and `spend` need approval, `egress` may. */
  readonly effects: readonly Effect[];
  readonly limits: {
    readonly timeoutMs: number;
    /** Most tokens of a result given to the model. A longer result is stored in full and shortened along its structure. */
    readonly resultTokens?: number;
  };
  /** Others can change the data it reads, so the same call is run again instead of reusing its earlier result. */
  readonly volatile?: true;
  /** The sources of its results and errors, if they are untrusted. `true`: one source named after the tool. */
  readonly untrusted?: true | ((input: Input) => Sources);
  /** Identifies the tool for a grant, if its name is not enough. A call is not run if this changed since it was approved. */
  readonly identity?: string;
  /** It belongs to one user, such as a tool of the user's own MCP server. Not offered in shared threads. */
  readonly isPersonal?: true;
  /**
   * Whether the call stores something for later runs that the user did not write in the current message. If untrusted
   * content is in the prompt, such a call needs approval. A text is used as the reason.
   */
  readonly remembers?: (input: Input, known: MemoryContext) => boolean | string | Text;
  /** The call is not executed: the run waits for the user's answer, which becomes the result (`protocol/question.ts`). */
  readonly asksUser?: true;
  /** Why these arguments need approval although the tool's effects do not; undefined if they do not. A `Text` is shown in the page's language. */
  readonly approvalReason?: (input: Input) => string | Text | undefined;
  /**
   * Why these arguments need approval when untrusted content is in the prompt: they delete, or change something outside
   * the thread's own project. A grant covers this text.
   */
  readonly approvalReasonIfUntrusted?: (input: Input, scope: Scope) => string | Text | undefined;
  /** Fills in arguments that follow from the thread, before they are validated and shown. */
  readonly fill?: (input: Readonly<Record<string, unknown>>, scope: Scope) => Readonly<Record<string, unknown>>;
  /** Names of the objects it writes. Calls that share a name run one after the other. */
  readonly locks?: (input: Input) => readonly string[];
  /** The run ended while a question of this call waited for its answer. `resume`: as in `ToolQuestion`. */
  readonly cancelQuestion?: (resume: unknown) => void;
  /** The data that leaves the machine. Without it, an `egress` tool is treated as sending text composed by the model. */
  readonly sends?: (input: Input) => OutgoingData;
  /** The action in words, for the card and the approval. */
  readonly describe?: (input: Input) => string;
  /** Text of an approval: the action with the names of its targets, and what approving it means. Undefined: `describe` says it all.
   * Throws if the call cannot succeed, such as for a target that does not exist: the call then fails without approval. */
  readonly describeTargets?: (
    input: Input,
    context: Pick<ToolContext, "read" | "userId" | "projectId" | "isShared" | "noteSources">,
  ) => Promise<{ readonly title: Text; readonly text: Text } | undefined>;
  /** The call in one line, for the ledger and for summaries once the call itself is no longer in the prompt. */
  readonly summarize?: (input: Input, output: unknown) => string;
  /** May throw: the call then fails with the error's message. */
  readonly execute: (input: Input, context: ToolContext) => Promise<ToolResult>;
};

/** The default export of a `*.tool.ts`. Returns null when the configuration it needs is missing. */
export type CreateTool = (deps: ToolDeps) => Tool | readonly Tool[] | null;

export type ToolDeps = { readonly clock: Clock; readonly ids: Ids; readonly tools: Config["tools"] };

export const DEFAULT_RESULT_TOKENS = 600;

export type Effect = "read" | "write" | "egress" | "destructive" | "spend";

/** `query` goes to a search service that the operator configured; `urls` are fetched. */
export type OutgoingData = { readonly urls?: readonly string[]; readonly query?: string };

export type Scope = {
  readonly threadId: string;
  /** The thread's project, and the entity in it that the thread is focused on. */
  readonly projectId: string | null;
  readonly focusId: string | null;
};

/** `question` is the user message being answered; `memory` maps each field to its stored text. */
type MemoryContext = { readonly question: string; readonly memory: ReadonlyMap<string, string> };

/** Characters of a page that the model gets at once, unless the profile or the operator sets another number. */
export const PAGE_CHARACTERS = 12_000;

export type ToolContext = Scope & {
  readonly userId: string;
  /** Others read the thread: the call must return nothing that only its user can see. */
  readonly isShared: boolean;
  /** The user's time zone; null: UTC. */
  readonly timeZone: string | null;
  readonly runId: string;
  /** The model provider that the thread's text stays with (local model, temporary thread); null: the operator's choice. */
  readonly onlyProvider: string | null;
  /** The same for every attempt of this call. */
  readonly key: string;
  /** Untrusted sources in the prompt that led to this call; data it stores is labeled with them. Empty if the user approved the write. */
  readonly untrusted: Sources;
  /** Records the sources of stored text that this call reads. They are stored with its result, even if it fails. */
  readonly noteSources: (sources: Sources) => void;
  readonly signal: AbortSignal;
  /** Characters of a page that a result may contain. */
  readonly pageCharacters: number;
  /** The text of the user message that this run answers. */
  readonly question: string;
  /** A program wrote that message, so it is not the user's own request. */
  readonly isQuestionUntrusted?: boolean;
  /** Answers to the question that this call asked before; null: the user skipped it. */
  readonly answered?: { readonly resume: unknown; readonly answers: Answers | null };
  /** Updates the progress shown on the card. Cheap: only the latest value is rendered. */
  readonly progress: (progress: Progress) => void;
  readonly fetch: Fetch;
  readonly read: Reads;
  /**
   * Stores a text with the result; the model refers to it by `ref`. `text` resolves to the text as stored, with secrets
   * redacted: character positions given to the model must refer to that text.
   */
  readonly saveArtifact: (artifact: Artifact) => {
    readonly id: string;
    readonly ref: number;
    readonly text: () => Promise<string>;
  };
  /** Adds a source of the answer. A second call with the same URL updates it. */
  readonly addSource: (source: SourceEvidence) => void;
};

export type Progress = { readonly text: string; readonly done?: number; readonly of?: number };

export type Artifact = {
  readonly kind: "page" | "search" | "result" | "file";
  readonly title: string;
  readonly url?: string;
  readonly type: string;
  readonly text: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** URLs that the text links to. */
  readonly links?: readonly string[];
};

export type SourceEvidence = {
  readonly url: string;
  readonly title?: string;
  readonly status: "found" | "read" | "failed";
  /** Relevance to the question, from 0 to 1; below 0.5 the page marks the source. */
  readonly relevance?: number;
  readonly ref?: number;
  readonly error?: string;
};

/**
 * The tool needs an answer of the user before it can continue: the run waits, and then executes the call again with `answered`.
 * `resume` is stored with the question and given back.
 */
export type ToolQuestion = {
  readonly question: QuestionInput;
  /** The name of the server that asks. */
  readonly text: string;
  readonly resume: unknown;
};

/** A tool does not write to our database: it returns `commit`, which is committed together with the output. */
export type ToolResult = {
  readonly output: unknown;
  readonly commit?: { readonly writes: readonly Write[]; readonly events: readonly LogEntry[] };
  /** Instead of an output. */
  readonly asks?: ToolQuestion;
};

/** Type-checks a tool against its own input type, then erases that type so that one catalog can hold every tool. */
export const defineTool = <Input>(tool: Tool<Input>): Tool => tool as unknown as Tool;
