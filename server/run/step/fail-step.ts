import type { ModelFailure } from "../../../protocol/model.ts";
import { sayMore, sentence, type Sentence, type Text } from "../../../protocol/sentences.ts";
import type { Part } from "../../../protocol/parts.ts";
import { nextAttempt } from "../../model/fallback.ts";
import { closeCall, type CallOutcome } from "./outcome.ts";
import { endRun } from "./end.ts";
import { toNotice } from "./notice.ts";
import { toPart } from "../../thread/rows.ts";
import type { Write } from "../../store/contract.ts";
import { MIN_WINDOW } from "../reported-tokens.ts";
import type { RunContext } from "../run-context.ts";
import { commitStep } from "../commit-step.ts";
import { addCost, type RunState } from "../state.ts";

type FailOptions = {
  readonly state: RunState;
  readonly parts: readonly Part[];
  readonly outcome: Extract<CallOutcome, { ok: false }>;
};

/**
 * Settles a failed attempt: its parts are superseded, its cost is counted and its reason is shown. Then the step is tried again,
 * or the run ends. A prompt that was too long is shortened; a model that rejects tools is called without them.
 */
export async function failStep(run: RunContext, { state, parts, outcome }: FailOptions): Promise<RunState> {
  if (state.at.kind !== "calling") throw new Error("No model call is open.");
  const { step, model } = state.at;
  const { failure } = outcome;
  const models = run.models.forUser(state.ownerId);
  const tries = [...state.at.tries, { model, failure, hadOutput: parts.length > 0 }];
  const chain = [state.model, ...(await listFallbacks(run, state))];
  const isShortened = isWorthShortening(run, state, failure);
  const isWithoutTools = failure.code === "no-tools" && !models.lacksTools(model);
  if (isWithoutTools) models.noteNoTools(model);
  const next =
    isShortened || isWithoutTools
      ? ({ do: "call", model, delayMs: 0 } as const)
      : // Other programs limit the time of a request.
        nextAttempt({ chain, attempts: tries, random: run.random, isWaitVisible: state.caller === undefined });
  const paid = addCost(state, outcome.usage, outcome.costUsd);
  // After the last try the longest text of an interrupted answer is kept, so that the user can continue it.
  const mayKeep = next.do === "give-up" && failure.fault === "provider";
  const own = mayKeep && hasOnlyText(parts) ? parts : [];
  const earlier = mayKeep ? await restoreLonger(run, state, countCharacters(own)) : [];
  const aside = own.length > 0 && earlier.length === 0 ? keepText(parts, failure) : supersede(parts, failure);
  const writes = [...closeCall(run, paid, outcome, "failed"), ...learnNamed(run, state, failure)];
  if (next.do === "give-up") {
    const { retryAfterMs = 0 } = failure;
    const reason =
      mayKeep && retryAfterMs > 0 ? { ...next.reason, retryAt: run.clock.now() + retryAfterMs } : next.reason;
    return endRun(run, { state: paid, ending: { outcome: "failed", reason }, parts: [...earlier, ...aside], writes });
  }
  const name = models.find(next.model)?.info.name ?? next.model;
  const isKnownLong = isShortened && failure.code === "too-long";
  const plan = isShortened
    ? sentence("next-shortened")
    : isWithoutTools
      ? sentence("next-without-tools")
      : next.model === model
        ? again(next.delayMs)
        : sentence("next-model", name);
  const text = isKnownLong ? { text: SHORTENED, values: [] } : sayMore(failure, plan);
  const notice = toNotice(paid, { code: failure.code, ...text });
  const ready: RunState = {
    ...paid,
    view:
      next.delayMs < SHOWN_WAIT_MS
        ? paid.view
        : { ...paid.view, retryAt: run.clock.now() + next.delayMs, waitingFor: `Waiting for ${name}.` },
    ...(isShortened ? { tooLong: toTooLong(state, failure.windowTokens) } : {}),
    nextPart: paid.nextPart + 1,
    at: {
      kind: "ready",
      step,
      tries,
      model: next.model,
      notBefore: run.clock.now() + next.delayMs,
      delayMs: next.delayMs,
    },
  };
  await commitStep(run, ready, { parts: [...aside, notice], writes });
  return ready;
}

/** A temporary thread stays with its provider; a thread on a local model does by `fallbacks` itself. */
async function listFallbacks(
  { models: allModels, access }: RunContext,
  { model, temporary, ownerId }: RunState,
): Promise<readonly string[]> {
  const models = allModels.forUser(ownerId);
  const mayUse = (await access?.filterFor(ownerId)) ?? (() => true);
  const fallbacks = models.fallbacks(model).filter(mayUse);
  if (!temporary) return fallbacks;
  const providerOf = (id: string) => models.find(id)?.info.provider;
  return fallbacks.filter((id) => [providerOf(model), "offline"].includes(providerOf(id)));
}

const SHORTENED = "The prompt is too long for this model. It is shortened and sent again.";
/** A shorter prompt is rejected for another reason than its length. */
const LONG_TOKENS = 2_000;
const MAX_SHORTENINGS = 3;
/** Tokens kept for the conversation and for the answer when a prompt is shortened as much as possible. */
const LEAST = { conversationTokens: 400, answerTokens: 1_000 };
/** The next prompt is built to fit this share of `tooLong`. */
const SHARE = 0.7;

/**
 * A prompt that is too long is shortened as long as there is something to leave out. Any other bad request with a long prompt
 * may be the same error with an unrecognized message, so it is shortened once.
 */
function isWorthShortening(run: RunContext, state: RunState, { code }: ModelFailure): boolean {
  if (state.at.kind !== "calling") return false;
  const { promptTokens, fixedTokens = 0, model, tries } = state.at;
  if (promptTokens - fixedTokens <= LEAST.conversationTokens * 1.5) return false;
  if (code === "too-long") {
    return tries.filter(({ failure }) => failure.code === "too-long").length < MAX_SHORTENINGS;
  }
  const window = run.models.forUser(state.ownerId).find(model)?.info.windowTokens ?? null;
  const isLong = promptTokens > (window === null ? LONG_TOKENS : window / 2);
  return code === "bad-request" && isLong && state.tooLong === undefined;
}

/** Stores the context window that the error names, for later prompts. */
function learnNamed(run: RunContext, { at }: RunState, { code, windowTokens = 0 }: ModelFailure): readonly Write[] {
  if (at.kind !== "calling" || code !== "too-long" || windowTokens < MIN_WINDOW) return [];
  return [run.learnedWindows.learn(at.model, windowTokens).write];
}

/** Decreases with each attempt. A window that the server named is used up to 90 %. Some room stays for the newest message. */
function toTooLong(state: RunState, windowTokens: number | undefined): number {
  if (state.at.kind !== "calling") return state.tooLong ?? 0;
  const { promptTokens, fixedTokens = 0 } = state.at;
  const named = windowTokens === undefined ? Infinity : (windowTokens * 0.9) / SHARE;
  const before = state.tooLong === undefined ? Infinity : state.tooLong * SHARE;
  const least = (fixedTokens + LEAST.conversationTokens + LEAST.answerTokens) / SHARE;
  return Math.ceil(Math.max(least, Math.min(promptTokens, named, before)));
}

/** Superseded parts stay readable and count towards cost, but are left out of prompts. Their tool calls were never run. */
export const supersede = (parts: readonly Part[], { text, sentences }: Text): readonly Part[] =>
  parts.map((part): Part => {
    const reason = { aside: text, ...(sentences ? { asideSentences: sentences } : {}) };
    if (part.kind === "text" || part.kind === "reasoning") return { ...part, state: "cut", ...reason };
    if (part.kind !== "tool") return { ...part, ...reason };
    return { ...part, state: "cancelled", errorText: "Not run: this attempt was superseded.", ...reason };
  });

/** Shorter waits are over before they can be read. */
const SHOWN_WAIT_MS = 2_000;

/**
 * The text of the longest earlier attempt of this step, if it has more than `characters`. It was superseded when another attempt
 * followed.
 */
async function restoreLonger(run: RunContext, { view, at }: RunState, characters: number): Promise<readonly Part[]> {
  if (at.kind !== "calling" || !at.tries.some(({ hadOutput }) => hadOutput)) return [];
  const stored = (await run.store.read.partsOf(view.threadId, [view.messageId])).map(toPart);
  const attempts: Part[][] = [];
  for (const part of stored.filter(({ step }) => step === at.step).toSorted((a, b) => a.n - b.n)) {
    if (part.kind === "step") attempts.push([]);
    else attempts.at(-1)?.push(part);
  }
  const [longest = []] = attempts
    .filter((parts) => hasOnlyText(parts) && countCharacters(parts) > characters)
    .toSorted((a, b) => countCharacters(b) - countCharacters(a));
  return longest.flatMap((part): Part[] => {
    if (part.kind !== "text" || part.aside === undefined) return [];
    const { aside: _, asideSentences: __, ...text } = part;
    return [{ ...text, state: "cut" }];
  });
}

const countCharacters = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + (part.kind === "text" ? part.text.trim().length : 0), 0);

/** Half a tool call cannot be continued. */
export const hasOnlyText = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.kind === "text" && part.text.trim() !== "") && !parts.some(({ kind }) => kind === "tool");

/** Keeps the text as `cut` and supersedes the rest: the signature of its reasoning is lost. */
export const keepText = (parts: readonly Part[], reason: Text): readonly Part[] => [
  ...supersede(
    parts.filter(({ kind }) => kind !== "text"),
    reason,
  ),
  ...parts.flatMap((part): Part[] => (part.kind === "text" ? [{ ...part, state: "cut" }] : [])),
];

const again = (delayMs: number): Sentence =>
  delayMs < 1000 ? sentence("next-same") : sentence("next-same-in", Math.round(delayMs / 1000));
