import type { z } from "zod";
import type { Sources } from "../../protocol/context/untrusted.ts";
import type { LogEntry } from "../log/log.ts";
import type { Fetch } from "../net/fetch.ts";
import type { Reads, Write } from "../store/contract.ts";

/**
 * The contract of a tool. A file `name.tool.ts` anywhere in this folder exports `create(workshop)` as its default and is
 * found by itself. `repeat` says what a crash between effect and result means:
 *   pure   no effect: run again
 *   keyed  its effect is idempotent under `key`: run again with the same key
 *   once   neither: after a crash the outcome is unknown, said so, and never repeated unasked
 */
export type Tool<Input = unknown> = {
  readonly name: string;
  /** Other names a model may call it by; only `name` is offered. */
  readonly aliases?: readonly string[];
  /** For the model. Short: it is part of every prompt. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** What a well-behaved result looks like; another is the tool's failure. */
  readonly output?: z.ZodType;
  readonly repeat: "pure" | "keyed" | "once";
  /** The policy goes by these: `destructive` and `spend` ask the person, `egress` may. */
  readonly effects: readonly Effect[];
  readonly limits: {
    readonly timeoutMs: number;
    /** What a model reads of a result at most; the whole is kept, and longer ones are bounded by their structure. */
    readonly resultTokens?: number;
  };
  /** Others change what it reads: asked again, it is read again. */
  readonly changing?: true;
  /** Where its results and errors come from, if that is not trusted; `true`: a source named after the tool. */
  readonly untrusted?: true | ((input: Input) => Sources);
  /** What a grant belongs to, where the name alone does not tell; a call is not run when this has changed since it was judged. */
  readonly identity?: string;
  /**
   * Whether it stores something for later runs to follow that the user did not write in the message that is answered, or why else
   * it asks: it does with untrusted content in the prompt.
   */
  readonly remembers?: (input: Input, known: Known) => boolean | string;
  /** Why these arguments wait for the person, where the tool's effects alone would not; undefined: they need not. */
  readonly asks?: (input: Input) => string | undefined;
  /**
   * Why these arguments wait for approval when untrusted content is in the prompt: they delete, or change something other than the
   * contents of the thread's own project. The text is what a grant covers.
   */
  readonly asksIfUntrusted?: (input: Input, scope: Scope) => string | undefined;
  /** Arguments that the thread knows, filled in before they are checked and shown. */
  readonly fill?: (input: Readonly<Record<string, unknown>>, scope: Scope) => Readonly<Record<string, unknown>>;
  /** Objects it writes, by any name: calls that share one run one after the other. */
  readonly touches?: (input: Input) => readonly string[];
  /** What leaves the machine. A tool with `egress` and without this always counts as sending what the model made up. */
  readonly sends?: (input: Input) => Sent;
  /** The action in words, for the card and for the question whether to allow it. */
  readonly describe?: (input: Input) => string;
  /** What is said of a call in a line, when it is no longer in the prompt itself: in the ledger and in summaries. */
  readonly digest?: (input: Input, output: unknown) => string;
  /** May throw: a failed tool is an outcome in the thread, with the error's message. */
  readonly execute: (input: Input, context: ToolContext) => Promise<ToolResult>;
};

export const RESULT_TOKENS = 600;

export type Effect = "read" | "write" | "egress" | "destructive" | "spend";

/** `query` goes to a search that the operator has set up; `urls` are fetched. */
export type Sent = { readonly urls?: readonly string[]; readonly query?: string };

export type Scope = {
  readonly threadId: string;
  /** The project of the thread, and what in it the talk is about. */
  readonly projectId: string | null;
  readonly focusId: string | null;
};

/** `question` is the message that is answered, `memory` the stored text of each field. */
export type Known = { readonly question: string; readonly memory: ReadonlyMap<string, string> };

export type ToolContext = Scope & {
  readonly userId: string;
  readonly runId: string;
  /** The same for every try of this call. */
  readonly key: string;
  /** Sources of the prompt that this call was written under: what it stores keeps them. None when the user approved the write. */
  readonly untrusted: Sources;
  /** Notes the sources of stored text that this call reads; they are stored with its result, also when it fails. */
  readonly noteSources: (sources: Sources) => void;
  readonly signal: AbortSignal;
  /** The person's words that this run answers. */
  readonly question: string;
  /** What it is doing, shown on its card. Cheap: only the newest is drawn. */
  readonly progress: (progress: Progress) => void;
  readonly fetch: Fetch;
  readonly read: Reads;
  /**
   * Stores a text with the result; the model knows it by `ref`. `text` is the text as stored, with secrets redacted: positions
   * given to the model count in that text.
   */
  readonly keep: (artifact: Artifact) => {
    readonly id: string;
    readonly ref: number;
    readonly text: () => Promise<string>;
  };
  /** Evidence, by its address: told again, it is updated. */
  readonly source: (source: Evidence) => void;
};

export type Progress = { readonly text: string; readonly done?: number; readonly of?: number };

export type Artifact = {
  readonly kind: "page" | "search" | "result" | "file";
  readonly title: string;
  readonly url?: string;
  readonly type: string;
  readonly text: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Addresses that the text offers as links. */
  readonly links?: readonly string[];
};

export type Evidence = {
  readonly url: string;
  readonly title?: string;
  readonly status: "found" | "read" | "failed";
  /** From 0 to 1, against the question; below 0.5 it is marked. */
  readonly relevance?: number;
  readonly ref?: number;
  readonly error?: string;
};

/** An effect on our own database is not made by the tool but returned, and committed together with the output. */
export type ToolResult = {
  readonly output: unknown;
  readonly commit?: { readonly writes: readonly Write[]; readonly events: readonly LogEntry[] };
};

/** Checks a tool against its own input, then forgets which: a catalog holds tools of every kind. */
export const defineTool = <Input>(tool: Tool<Input>): Tool => tool as unknown as Tool;
