import type { ModelFailure } from "../../../protocol/model.ts";
import type { Part } from "../../../protocol/parts.ts";
import { nextAttempt } from "../../model/fallback.ts";
import { closeCall, type CallOutcome } from "./outcome.ts";
import { endRun } from "./end.ts";
import { toNotice } from "./notice.ts";
import type { Write } from "../../store/contract.ts";
import { MIN_WINDOW } from "../reported-tokens.ts";
import type { RunContext } from "../running.ts";
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
  const tries = [...state.at.tries, { model, failure, hadOutput: parts.length > 0 }];
  const chain = [state.model, ...listFallbacks(run, state)];
  const isShortened = isWorthShortening(run, state, failure);
  const isWithoutTools = failure.code === "no-tools" && !run.models.lacksTools(model);
  if (isWithoutTools) run.models.noteNoTools(model);
  const next =
    isShortened || isWithoutTools
      ? ({ do: "call", model, delayMs: 0 } as const)
      : nextAttempt({ chain, attempts: tries, random: run.random });
  const paid = addCost(state, outcome.usage, outcome.costUsd);
  // After the last try the text of an interrupted answer is kept, so that the user can continue it.
  const isKept = next.do === "give-up" && failure.fault === "provider" && hasOnlyText(parts);
  const aside = isKept ? keepText(parts, failure.text) : supersede(parts, failure.text);
  const writes = [...closeCall(run, paid, outcome, "failed"), ...learnNamed(run, state, failure)];
  if (next.do === "give-up") {
    return endRun(run, { state: paid, ending: { outcome: "failed", reason: next.reason }, parts: aside, writes });
  }
  const name = run.models.find(next.model)?.info.name ?? next.model;
  const isKnownLong = isShortened && failure.code === "too-long";
  const plan = isShortened
    ? "The prompt is long: it is shortened and sent again."
    : isWithoutTools
      ? "Trying again without tools."
      : next.model === model
        ? again(next.delayMs)
        : `Trying ${name} instead.`;
  const text = isKnownLong ? SHORTENED : `${failure.text} ${plan}`;
  const notice = toNotice(paid, { code: failure.code, text });
  const ready: RunState = {
    ...paid,
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
function listFallbacks({ models }: RunContext, { model, temporary }: RunState): readonly string[] {
  const fallbacks = models.fallbacks(model);
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
 * may be the same error with an unrecognised message, so it is shortened once.
 */
function isWorthShortening(run: RunContext, state: RunState, { code }: ModelFailure): boolean {
  if (state.at.kind !== "calling") return false;
  const { promptTokens, fixedTokens = 0, model, tries } = state.at;
  if (promptTokens - fixedTokens <= LEAST.conversationTokens * 1.5) return false;
  if (code === "too-long") {
    return tries.filter(({ failure }) => failure.code === "too-long").length < MAX_SHORTENINGS;
  }
  const window = run.models.find(model)?.info.windowTokens ?? null;
  const isLong = promptTokens > (window === null ? LONG_TOKENS : window / 2);
  return code === "bad-request" && isLong && state.tooLong === undefined;
}

/** Stores the context window that the error names, for later prompts. */
function learnNamed(run: RunContext, { at }: RunState, { code, windowTokens = 0 }: ModelFailure): readonly Write[] {
  if (at.kind !== "calling" || code !== "too-long" || windowTokens < MIN_WINDOW) return [];
  return [run.learnedWindows.learn(at.model, windowTokens, at.promptTokens).write];
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
export const supersede = (parts: readonly Part[], reason: string): readonly Part[] =>
  parts.map((part): Part => {
    if (part.kind === "text" || part.kind === "reasoning") return { ...part, state: "cut", aside: reason };
    if (part.kind !== "tool") return { ...part, aside: reason };
    return { ...part, state: "cancelled", errorText: "Not run: this attempt was superseded.", aside: reason };
  });

/** Half a tool call cannot be continued. */
export const hasOnlyText = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.kind === "text" && part.text.trim() !== "") && !parts.some(({ kind }) => kind === "tool");

/** Keeps the text as `cut` and supersedes the rest: the signature of its reasoning is lost. */
export const keepText = (parts: readonly Part[], reason: string): readonly Part[] => [
  ...supersede(
    parts.filter(({ kind }) => kind !== "text"),
    reason,
  ),
  ...parts.flatMap((part): Part[] => (part.kind === "text" ? [{ ...part, state: "cut" }] : [])),
];

const again = (delayMs: number): string =>
  delayMs < 1000 ? "Trying again." : `Trying again in ${Math.round(delayMs / 1000)} s.`;
