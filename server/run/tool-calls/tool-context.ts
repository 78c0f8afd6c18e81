import { createHash } from "node:crypto";
import type { PartOf, Progress } from "../../../protocol/parts.ts";
import { joinSources, writeSources, type Sources } from "../../../protocol/context/untrusted.ts";
import type { Finding } from "../../redact/redact.ts";
import type { Write } from "../../store/contract.ts";
import { PAGE_CHARACTERS, type Artifact, type SourceEvidence, type ToolContext } from "../../tools/tool.ts";
import { indexArtifact } from "../../thread/search-docs.ts";
import type { RunContext } from "../run-context.ts";
import { toPlace, type PendingCall, type RunState } from "../state.ts";

/** Allocates artifact refs to concurrent calls. */
export type Refs = { readonly next: () => number };

export async function countRefs(run: RunContext, threadId: string): Promise<Refs> {
  let last = await run.store.read.lastRef(threadId);
  return { next: () => (last += 1) };
}

/** Artifacts and sources that a tool collected while it ran. They are committed with its result or not at all. */
export type CollectedOutput = {
  /** Artifacts so far, before redaction. */
  readonly given: () => readonly ArtifactInput[];
  /** The artifacts with secrets redacted. */
  readonly artifacts: () => Promise<readonly StoredArtifact[]>;
  readonly sources: ReadonlyMap<string, SourceEvidence>;
  /** Untrusted sources read so far. */
  readonly untrusted: () => Sources;
};
export type ArtifactInput = Artifact & { readonly id: string; readonly ref: number };
export type StoredArtifact = ArtifactInput & { readonly secrets: readonly Finding[] };
/** With the untrusted sources that its text may derive from. */
export type LabeledArtifact = StoredArtifact & { readonly untrusted: Sources };

type Options = {
  readonly run: RunContext;
  readonly state: RunState;
  readonly part: PartOf<"tool">;
  readonly call: PendingCall;
  readonly refs: Refs;
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
};

export function createToolContext(options: Options): {
  readonly context: ToolContext;
  readonly gathered: CollectedOutput;
} {
  const { run, state, part, call, refs, signal, progress } = options;
  const answers = call.question?.answers;
  const given: ArtifactInput[] = [];
  const redacting: Promise<StoredArtifact>[] = [];
  const sources = new Map<string, SourceEvidence>();
  let untrusted: Sources = [];
  const { threadId, id: runId } = state.view;
  const redactor = run.secrets.redactorOf(threadId);
  const context: ToolContext = {
    userId: state.ownerId,
    isShared: state.shared === true,
    timeZone: run.preferences.timeZone,
    threadId,
    projectId: state.scope?.projectId ?? null,
    focusId: state.scope?.focusId ?? null,
    runId,
    onlyProvider: state.temporary || run.models.isLocal(state.model) ? (state.model.split("/")[0] ?? "") : null,
    // Not the provider's call id, which may repeat in a later step.
    key: `${runId}:${part.id}`,
    untrusted: call.approved === true ? [] : (state.untrusted ?? []),
    noteSources: (more) => void (untrusted = joinSources(untrusted, more)),
    signal,
    pageCharacters: run.profile.window.pageCharacters ?? PAGE_CHARACTERS,
    question: state.question ?? "",
    isQuestionUntrusted: state.isQuestionUntrusted === true,
    ...(answers === undefined ? {} : { answered: { resume: call.question?.resume, answers } }),
    progress,
    fetch: (url, init = {}) =>
      run.fetch(url, { ...init, signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal }),
    read: run.store.read,
    saveArtifact: (artifact) => {
      const one = { ...artifact, id: run.ids.next(), ref: refs.next() };
      const kept = redactor.inWorker
        .text(artifact.text)
        .then(({ value, found }) => ({ ...one, text: value, secrets: found }));
      given.push(one);
      redacting.push(kept);
      // `artifacts()` reports a failure. A tool call that ends early never awaits it, so it is handled here.
      kept.catch(() => {});
      return { id: one.id, ref: one.ref, text: () => kept.then(({ text }) => text) };
    },
    addSource: (source) => void sources.set(source.url, { ...sources.get(source.url), ...source }),
  };
  return {
    context,
    gathered: { given: () => [...given], artifacts: () => Promise.all(redacting), sources, untrusted: () => untrusted },
  };
}

/** The artifact's row and its search index entries. */
export const toArtifactWrites = (kept: LabeledArtifact, state: RunState, now: number): readonly Write[] => [
  toArtifactWrite(kept, state, now),
  ...indexArtifact(toPlace(state), { ref: kept.ref, title: kept.title, text: kept.text, at: now }),
];

const toArtifactWrite = (kept: LabeledArtifact, { view }: RunState, now: number): Write => ({
  do: "insert",
  table: "artifacts",
  row: {
    id: kept.id,
    thread: view.threadId,
    ref: kept.ref,
    message: view.messageId,
    kind: kept.kind,
    title: kept.title,
    url: kept.url ?? null,
    type: kept.type,
    hash: createHash("sha256").update(kept.text).digest("hex"),
    body: kept.text,
    meta: JSON.stringify({ ...kept.meta, ...(kept.links === undefined ? {} : { links: kept.links }) }),
    untrusted: writeSources(kept.untrusted),
    created_at: now,
  },
});
