import type { PartOf, Progress } from "../../../protocol/parts.ts";
import { joinSources, toSource, type Sources } from "../../../protocol/context/untrusted.ts";
import { QUESTION } from "../../../protocol/question.ts";
import type { Write } from "../../store/contract.ts";
import { boundResult } from "../../context/bound-result.ts";
import { countTokens } from "../../lib/tokens.ts";
import {
  DEFAULT_RESULT_TOKENS,
  type SourceEvidence,
  type Tool,
  type ToolResult,
  type ToolContext,
  type ToolQuestion,
} from "../../tools/tool.ts";
import { findLostAccess } from "../step/lost-access.ts";
import type { RunContext } from "../run-context.ts";
import type { PendingCall, RunState } from "../state.ts";
import { resolveCall } from "./resolve-call.ts";
import { createToolContext, toArtifactWrites, type Refs, type ArtifactInput } from "./tool-context.ts";

type ToolPart = PartOf<"tool">;

/** An ended tool call: its part, and the rows to commit with it. */
export type ToolOutcome = {
  readonly part: ToolPart;
  readonly commit?: ToolResult["commit"];
  readonly writes: readonly Write[];
  readonly sources: readonly (SourceEvidence & { readonly artifactId?: string })[];
  /** Set if the call waits for an answer of the user. */
  readonly question?: PendingCall["question"];
};

type ExecuteOptions = {
  readonly run: RunContext;
  readonly state: RunState;
  readonly part: ToolPart;
  readonly call: PendingCall;
  readonly refs: Refs;
  readonly progress: (progress: Progress) => void;
};

/** Most questions that one call may ask. */
const MAX_ROUNDS = 5;

/** Runs one call within its timeout and redacts secrets in the result before it is stored or sent. */
export async function executeTool(options: ExecuteOptions): Promise<ToolOutcome> {
  const { run, state, part } = options;
  const end = run.observe({
    ...{ kind: "tool", runId: state.view.id, name: part.name, callId: part.id },
    isTemporary: state.temporary === true,
    input: () => JSON.stringify(part.input ?? null),
  });
  const outcome = await execute(options);
  const { state: ended, output } = outcome.part;
  const isFailure = ended === "error" || ended === "unknown";
  end({ outcome: ended, isFailure, output: () => JSON.stringify(output ?? null) });
  return outcome;
}

async function execute({ run, state, part, call, refs, progress }: ExecuteOptions): Promise<ToolOutcome> {
  const { tool, input, name } = resolveCall(part, run.catalog);
  const end = (more: Partial<ToolPart>, untrusted: Sources = []): ToolOutcome => ({
    part: { ...part, ...more, untrusted, endedAt: run.clock.now() },
    writes: [],
    sources: [],
  });
  const lost = await findLostAccess(run, state);
  if (lost) return end({ state: "error", errorText: lost.text });
  if (!tool) return end({ state: "error", errorText: `The tool ${name} is no longer available.` });
  const limit = AbortSignal.timeout(tool.limits.timeoutMs);
  const signal = AbortSignal.any([run.signal, limit]);
  const { context, gathered } = createToolContext({
    ...{ run, state, part, call, refs, signal, progress },
  });
  const { threadId } = state.view;
  const redactor = run.secrets.redactorOf(threadId);
  // Any result, including an error, may contain text from these sources.
  const readSources = (): Sources => joinSources(listSources(tool, input), gathered.untrusted());
  try {
    const result = await Promise.race([tool.execute(input, context), aborted(signal)]);
    if (result.asks) return toWaiting(part, call, result.asks);
    const now = run.clock.now();
    const { value: output, found } = await redactor.inWorker.value(toStorable(checkOutput(tool, result.output)));
    const bounded = boundOutput({ tool, part, output, artifacts: gathered.given(), keep: context.saveArtifact });
    const artifacts = await gathered.artifacts();
    const all = [...found, ...artifacts.flatMap(({ secrets }) => secrets)];
    const ids = new Map(artifacts.map(({ ref, id }) => [ref, id]));
    const preview = tool.summarize?.(input, output);
    const sources = readSources();
    const untrusted = joinSources(state.untrusted, sources);
    return {
      ...end(
        {
          state: "ok",
          output,
          ...bounded,
          ...(preview === undefined ? {} : { gist: preview.slice(0, MAX_PREVIEW_CHARACTERS).toWellFormed() }),
          ...(all.length ? { redacted: new Set(all.map(({ placeholder }) => placeholder)).size } : {}),
        },
        sources,
      ),
      ...(result.commit ? { commit: result.commit } : {}),
      writes: [
        ...artifacts.flatMap((kept) => toArtifactWrites({ ...kept, untrusted }, state, now)),
        ...run.secrets.toWrites(threadId, all, now),
      ],
      sources: [...gathered.sources.values()].map((source) => {
        const artifactId = source.ref === undefined ? undefined : ids.get(source.ref);
        return artifactId === undefined ? source : { ...source, artifactId };
      }),
    };
  } catch (error) {
    if (limit.aborted) return end(toTimedOut(tool), readSources());
    const { value } = await redactor.inWorker.text(error instanceof Error ? error.message : String(error));
    const { text: errorText } = boundResult(value.slice(0, MAX_ERROR), {
      tokens: tool.limits.resultTokens ?? DEFAULT_RESULT_TOKENS,
      count: countTokens,
    });
    return end({ state: "error", errorText }, readSources());
  }
}

function toWaiting(part: ToolPart, call: PendingCall, { question, text, resume }: ToolQuestion): ToolOutcome {
  const round = (call.question?.round ?? 0) + 1;
  if (round > MAX_ROUNDS) throw new Error("The tool asks too many questions.");
  const asks = { code: QUESTION, text, question, round };
  return { part: { ...part, state: "asking", asks }, writes: [], sources: [], question: { round, resume } };
}

/** The untrusted sources that the tool declares for its results. */
function listSources({ untrusted, name }: Tool, input: unknown): Sources {
  if (untrusted === undefined) return [];
  return untrusted === true ? [toSource(`the tool ${name}`)] : untrusted(input);
}

const MAX_OUTPUT = 2_000_000;
const MAX_ERROR = 10_000;
const MAX_PREVIEW_CHARACTERS = 1000;

function checkOutput(tool: Tool, output: unknown): unknown {
  const checked = tool.output?.safeParse(output);
  if (checked && !checked.success)
    throw new Error(`The result does not match the tool's output schema: ${checked.error.message}`);
  return output;
}

/** The output as JSON. Output that cannot be stored is reported as a failure of the tool before the commit. */
function toStorable(output: unknown): unknown {
  const json = JSON.stringify(output ?? null);
  if (json === undefined) throw new Error("The result cannot be stored as JSON.");
  if (json.length > MAX_OUTPUT)
    throw new Error(`The result has ${json.length} characters; at most ${MAX_OUTPUT} can be stored.`);
  return JSON.parse(json);
}

/** After a timeout the effect may have happened, so the result is `unknown` unless the tool is pure. */
const toTimedOut = ({ repeat, limits }: Tool): Partial<ToolPart> => ({
  state: repeat === "pure" ? "error" : "unknown",
  errorText: `The tool returned no result within ${Math.round(limits.timeoutMs / 1000)} s.${repeat === "pure" ? "" : " The call may have taken effect."}`,
});

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(new Error("The tool call was aborted."));
    signal.addEventListener("abort", () => reject(new Error("The tool call was aborted.")), { once: true });
  });

type BoundOptions = {
  readonly tool: Tool;
  readonly part: PartOf<"tool">;
  /** Already redacted. */
  readonly output: unknown;
  /** Artifacts that the tool stored in this call. */
  readonly artifacts: readonly ArtifactInput[];
  readonly keep: ToolContext["saveArtifact"];
};

/** Shortens a result that is too long for the model. The complete result is stored as an artifact first. */
function boundOutput({ tool, part, output, artifacts, keep }: BoundOptions): { readonly digest?: string } {
  const { text, cut } = boundResult(output, {
    tokens: tool.limits.resultTokens ?? DEFAULT_RESULT_TOKENS,
    count: countTokens,
    ref: () => {
      const known = new Set(artifacts.filter(({ kind }) => kind !== "file").map(({ ref }) => ref));
      if (refOf(output, known) !== undefined) return refOf(output, known);
      return namesRefs(output, known) ? undefined : keepWhole(tool, part, output, keep);
    },
  });
  return cut ? { digest: text } : {};
}

/** The ref of a result that is a single artifact, from its top level. */
const refOf = (output: unknown, known: ReadonlySet<number>): number | undefined => {
  const { ref } = (typeof output === "object" ? (output ?? {}) : {}) as { readonly ref?: unknown };
  return typeof ref === "number" && known.has(ref) ? ref : undefined;
};

/** True for a list whose items are artifacts, such as search results. */
const namesRefs = (output: unknown, known: ReadonlySet<number>): boolean =>
  known.size > 0 &&
  typeof output === "object" &&
  output !== null &&
  Object.values(output).some((list) => Array.isArray(list) && list.some((item) => refOf(item, known) !== undefined));

function keepWhole(tool: Tool, part: PartOf<"tool">, output: unknown, keep: ToolContext["saveArtifact"]): number {
  const isText = typeof output === "string";
  return keep({
    kind: "result",
    title: part.title ?? tool.name,
    type: isText ? "text/plain" : "application/json",
    text: isText ? output : JSON.stringify(output, null, 1),
    meta: { tool: tool.name },
  }).ref;
}
