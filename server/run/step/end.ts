import type { LogEvent } from "../../../protocol/events.ts";
import { textOf } from "../../../protocol/fold.ts";
import { threadStream } from "../../../protocol/ids.ts";
import { isTerminal, type Part, PART_VERSION, type PartOf } from "../../../protocol/parts.ts";
import { threadListStream } from "../../thread/shared.ts";
import { indexMessage } from "../../thread/search-docs.ts";
import { toPart } from "../../thread/rows.ts";
import { toPreview } from "../../thread/title.ts";
import { resolveCall } from "../tool-calls/resolve-call.ts";
import type { RunContext } from "../run-context.ts";
import { toNotice } from "./notice.ts";
import { dropTransient, toSettled, type StepOutput } from "../commit-step.ts";
import { toPlace, toRunChange, withoutWait, type Ending, type RunState } from "../state.ts";
import { listSourceRefs } from "../../../protocol/source-refs.ts";
import { checkCitations } from "../../tools/web/cite.ts";
import type { RowOf } from "../../store/schema.ts";
import type { Catalog } from "../../tools/catalog.ts";

type EndOptions = {
  readonly state: RunState;
  readonly ending: Ending;
  /** The text is stored without looking for citations or making a preview. */
  readonly skipsTextChecks?: boolean;
} & StepOutput;

/**
 * Ends a run in one commit: its last parts, a terminal part for every open tool call, the thread's status and preview, the
 * search index, and the release of the lease.
 */
export async function endRun(
  run: RunContext,
  { state, ending, parts, writes, skipsTextChecks = false }: EndOptions,
): Promise<RunState> {
  run.failpoint("before-terminal");
  const { threadId, messageId } = state.view;
  const now = run.clock.now();
  const [rows, pushes] = await Promise.all([
    run.store.read.partsOf(threadId, [messageId]),
    ending.outcome === "stopped" ? [] : run.planPush({ threadId, ...state }),
  ]);
  const stored = rows.map(toPart);
  const fresh = new Set(parts.map((part) => part.n));
  const closed = stored.flatMap((part) => (fresh.has(part.n) ? [] : closeOpenCall(run, part, ending)));
  const closedNs = new Set(closed.map((part) => part.n));
  const whole = [...stored.filter((part) => !fresh.has(part.n) && !closedNs.has(part.n)), ...closed, ...parts];
  const text = textOf(whole.toSorted((a, b) => a.n - b.n));
  const failed = skipsTextChecks ? undefined : listFailedWrites(whole, run.catalog);
  const cited = skipsTextChecks ? [] : await citeAnswer(run, state, whole, text);
  const next = { ...state, nextPart: state.nextPart + cited.length };
  const reasons = [
    ...(failed === undefined ? [] : [{ code: "failed-writes", text: failed }]),
    ...(run.profile.isFallback ? [PROFILE_GONE] : []),
  ];
  const notices: Part[] = reasons.map((one, index) => toNotice({ ...next, nextPart: next.nextPart + index }, one));
  const ended: RunState = {
    ...state,
    nextPart: next.nextPart + notices.length,
    view: { ...withoutWait(state.view), state: "ended", outcome: ending.outcome, reason: ending.reason, endedAt: now },
    at: { kind: "ended" },
  };
  const status = ending.outcome === "failed" ? ("error" as const) : ("idle" as const);
  const preview = text === "" || skipsTextChecks ? {} : { preview: toPreview(text) };
  const changed: LogEvent = { type: "thread-changed", threadId, patch: { status, updatedAt: now, ...preview } };
  const stream = threadStream(threadId);
  await run.writer.commit({
    release: true,
    events: [
      ...toSettled(ended, [...closed, ...parts, ...cited, ...notices]),
      { stream, event: { type: "run-ended", run: ended.view } },
      { stream, event: changed },
      { stream: threadListStream(toPlace(state)), event: changed },
    ],
    writes: [
      dropTransient(state),
      { do: "update", table: "runs", set: toRunChange(ended), where: { id: ended.view.id }, expectOne: true },
      { do: "update", table: "threads", set: { status, updated_at: now, ...preview }, where: { id: threadId } },
      ...indexMessage(toPlace(state), { id: messageId, created_at: now }, text),
      ...(text === "" || skipsTextChecks || state.caller?.isPlain ? [] : run.planTitle({ threadId, ...state })),
      ...pushes,
      ...writes,
    ],
  });
  for (const part of stored) cancelQuestion(run, state, part);
  return ended;
}

/** Releases resources held for an unanswered question. Has an effect only on the node that asked. */
function cancelQuestion(run: RunContext, { at }: RunState, part: Part): void {
  if (part.kind !== "tool" || part.state !== "asking" || at.kind !== "tools") return;
  const question = at.calls.find(({ n }) => n === part.n)?.question;
  if (question) resolveCall(part, run.catalog).tool?.cancelQuestion?.(question.resume);
}

const PROFILE_GONE = {
  code: "profile-gone",
  text: "The profile of this thread was deleted, so the default profile “stone” was used. Choose another profile for this thread.",
  values: [],
};

/** A started call with effects may have taken effect, so its result is `unknown`. */
function closeOpenCall(run: RunContext, part: Part, { outcome }: Ending): Part[] {
  if (part.kind !== "tool" || isTerminal(part.state)) return [];
  const why = outcome === "stopped" ? "Stopped by you" : "The answer ended";
  if (part.state === "running" && resolveCall(part, run.catalog).tool?.repeat !== "pure") {
    return [
      { ...part, state: "unknown", errorText: `${why} while this tool ran. It may or may not have taken effect.` },
    ];
  }
  return [{ ...part, state: "cancelled", errorText: `${why} before this tool call finished.` }];
}

const marker = /\[(\d{1,6}(?:\s*[,;]\s*\d{1,6})*)\]/g;
const MAX_REFS = 50;

/**
 * Checks each `[n]` in an answer against the artifact with that ref, and against a newer copy of the same address. Pages of
 * earlier answers that it cites become sources of this answer.
 */
async function citeAnswer(run: RunContext, state: RunState, parts: readonly Part[], text: string): Promise<Part[]> {
  const refs = new Set([...text.matchAll(marker)].flatMap(([, numbers = ""]) => numbers.split(/[,;]/).map(Number)));
  if (refs.size === 0) return [];
  const { threadId, messageId, step } = state.view;
  const { read } = run.store;
  if ((await read.lastRef(threadId)) === 0) return [];
  const rows = await Promise.all([...refs].slice(0, MAX_REFS).map((ref) => read.artifact(threadId, ref)));
  const known = listSourceRefs(parts);
  const artifacts = rows.flatMap((row) => (row ? [row] : []));
  const cited = await Promise.all(
    artifacts.map(async ({ ref, url, body }) => {
      const newest = url === null ? ref : (known.get(url)?.at(-1) ?? (await read.lastRefOf(threadId, url)) ?? ref);
      const copy = newest === ref ? undefined : await read.artifact(threadId, newest);
      return { ref, text: body, ...(copy ? { copy: { ref: newest, text: copy.body } } : {}) };
    }),
  );
  const value = checkCitations(text, cited);
  const toHead = (index: number) => {
    const n = state.nextPart + index;
    return { id: `${messageId}.${n}`, v: PART_VERSION, n, step } as const;
  };
  const earlier = artifacts.filter(({ url }) => url !== null && !known.has(url));
  return [
    ...earlier.map((row, index): Part => ({ ...toHead(index), ...toEarlierSource(row) })),
    { ...toHead(earlier.length), kind: "data", name: "citations", value },
  ];
}

/** A page that an earlier answer of the thread found or read, as a source of the answer that cites it. */
const toEarlierSource = ({ id, ref, kind, url, title }: RowOf<"artifacts">) =>
  ({
    kind: "source",
    sourceType: "url",
    ...(url === null ? {} : { url }),
    title,
    status: kind === "page" ? "read" : "found",
    ref,
    artifactId: id,
  }) as const;

/** Lists write calls of the answer that failed or may have failed, so that the user sees them even if the model claims success. */
function listFailedWrites(parts: readonly Part[], catalog: Catalog): string | undefined {
  const calls = parts.filter((part): part is PartOf<"tool"> => part.kind === "tool");
  const writes = calls.flatMap((part) => {
    const { tool, name, input } = resolveCall(part, catalog);
    const isWrite = tool?.effects.some((effect) => effect !== "read" && effect !== "egress") ?? false;
    return isWrite ? [{ part, name, sign: `${name} ${JSON.stringify(input)}` }] : [];
  });
  const lines = writes.flatMap(({ part, name, sign }, at) => {
    const isMade = writes.some((other, later) => later > at && other.sign === sign && other.part.state === "ok");
    if (isMade || (part.state !== "error" && part.state !== "unknown")) return [];
    const what = part.title ?? name.replaceAll("_", " ");
    return [part.state === "unknown" ? `${what}: unknown whether it took effect` : `${what}: failed`];
  });
  return lines.length ? `Some changes were not made. ${lines.join("; ")}.` : undefined;
}
