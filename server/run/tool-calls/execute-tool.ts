import type { PartOf, Progress } from "../../../protocol/parts.ts";
import { joinSources, toSource, type Sources } from "../../../protocol/context/untrusted.ts";
import type { Write } from "../../store/contract.ts";
import { boundResult } from "../../context/bound-result.ts";
import { countTokens } from "../../lib/tokens.ts";
import {
  DEFAULT_RESULT_TOKENS,
  type SourceEvidence,
  type Tool,
  type ToolResult,
  type ToolContext,
} from "../../tools/tool.ts";
import type { Running } from "../running.ts";
import type { RunState } from "../state.ts";
import { resolveCall } from "./resolve-call.ts";
import { createToolContext, toArtifactWrites, type Refs, type ArtifactInput } from "./tool-context.ts";

type ToolPart = PartOf<"tool">;

/** A call that has ended: its part, and what is committed with it. */
export type Ended = {
  readonly part: ToolPart;
  readonly commit?: ToolResult["commit"];
  readonly writes: readonly Write[];
  readonly sources: readonly (SourceEvidence & { readonly artifactId?: string })[];
};

type Executing = {
  readonly run: Running;
  readonly state: RunState;
  readonly part: ToolPart;
  readonly isApproved: boolean;
  readonly refs: Refs;
  readonly progress: (progress: Progress) => void;
};

/** Runs one call within its time, and takes the secrets out of what it brings before anything is stored or sent. */
export async function executeTool({ run, state, part, isApproved, refs, progress }: Executing): Promise<Ended> {
  const { tool, input, name } = resolveCall(part, run.catalog);
  const end = (more: Partial<ToolPart>, untrusted: Sources = []): Ended => ({
    part: { ...part, ...more, untrusted, endedAt: run.clock.now() },
    writes: [],
    sources: [],
  });
  if (!tool) return end({ state: "error", errorText: `The tool ${name} is no longer offered.` });
  const limit = AbortSignal.timeout(tool.limits.timeoutMs);
  const signal = AbortSignal.any([run.signal, limit]);
  const { context, gathered } = createToolContext({
    ...{ run, state, part, isApproved, refs, signal, progress },
  });
  const { threadId } = state.view;
  const redactor = run.secrets.redactorOf(threadId);
  // Whatever comes back, an error too, may hold words of these.
  const readSources = (): Sources => joinSources(listSources(tool, input), gathered.untrusted());
  try {
    const result = await Promise.race([tool.execute(input, context), aborted(signal)]);
    const now = run.clock.now();
    const { value: output, found } = await redactor.apart.value(toStorable(checkOutput(tool, result.output)));
    const bounded = boundOutput({ tool, part, output, artifacts: gathered.given(), keep: context.saveArtifact });
    const artifacts = await gathered.artifacts();
    const all = [...found, ...artifacts.flatMap(({ secrets }) => secrets)];
    const ids = new Map(artifacts.map(({ ref, id }) => [ref, id]));
    const gist = tool.summarize?.(input, output);
    const read = readSources();
    const untrusted = joinSources(state.untrusted, read);
    return {
      ...end(
        {
          state: "ok",
          output,
          ...bounded,
          ...(gist === undefined ? {} : { gist: gist.slice(0, LONGEST_GIST).toWellFormed() }),
          ...(all.length ? { redacted: new Set(all.map(({ placeholder }) => placeholder)).size } : {}),
        },
        read,
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
    const { value } = await redactor.apart.text(error instanceof Error ? error.message : String(error));
    const { text: errorText } = boundResult(value.slice(0, LONGEST_ERROR), {
      tokens: tool.limits.resultTokens ?? DEFAULT_RESULT_TOKENS,
      count: countTokens,
    });
    return end({ state: "error", errorText }, readSources());
  }
}

/** What the tool says of where its results come from. */
function listSources({ untrusted, name }: Tool, input: unknown): Sources {
  if (untrusted === undefined) return [];
  return untrusted === true ? [toSource(`the tool ${name}`)] : untrusted(input);
}

const LONGEST_OUTPUT = 2_000_000;
const LONGEST_ERROR = 10_000;
const LONGEST_GIST = 1000;

function checkOutput(tool: Tool, output: unknown): unknown {
  const checked = tool.output?.safeParse(output);
  if (checked && !checked.success)
    throw new Error(`The tool's result is not what it promises: ${checked.error.message}`);
  return output;
}

/** As JSON keeps it: what cannot be stored is the tool's failure, found before anything is committed. */
function toStorable(output: unknown): unknown {
  const json = JSON.stringify(output ?? null);
  if (json === undefined) throw new Error("The result is not data.");
  if (json.length > LONGEST_OUTPUT) throw new Error(`The result holds ${json.length} characters: too many to keep.`);
  return JSON.parse(json);
}

/** Out of time with an effect that may have happened is not the same as failed. */
const toTimedOut = ({ repeat, limits }: Tool): Partial<ToolPart> => ({
  state: repeat === "pure" ? "error" : "unknown",
  errorText: `No result within ${Math.round(limits.timeoutMs / 1000)} s.${repeat === "pure" ? "" : " It may have happened."}`,
});

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(new Error("broken off"));
    signal.addEventListener("abort", () => reject(new Error("broken off")), { once: true });
  });

type Bounding = {
  readonly tool: Tool;
  readonly part: PartOf<"tool">;
  /** Without secrets. */
  readonly output: unknown;
  /** What the tool itself has kept in this call. */
  readonly artifacts: readonly ArtifactInput[];
  readonly keep: ToolContext["saveArtifact"];
};

/** Decided once, before anybody reads it: what the model gets of a result too long for it. The whole is kept by then. */
function boundOutput({ tool, part, output, artifacts, keep }: Bounding): { readonly digest?: string } {
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

/** A result that is one kept text says so at its root. */
const refOf = (output: unknown, known: ReadonlySet<number>): number | undefined => {
  const { ref } = (typeof output === "object" ? (output ?? {}) : {}) as { readonly ref?: unknown };
  return typeof ref === "number" && known.has(ref) ? ref : undefined;
};

/** A list of things of which each is kept, as searches and pages are. */
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
