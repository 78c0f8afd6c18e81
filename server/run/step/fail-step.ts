import type { ModelFailure } from "../../../protocol/model.ts";
import type { Part } from "../../../protocol/parts.ts";
import { nextAttempt } from "../../model/fallback.ts";
import type { Outcome } from "./outcome.ts";
import { endRun } from "./end.ts";
import { toNotice } from "./notice.ts";
import type { Write } from "../../store/contract.ts";
import { LEAST_WINDOW } from "../reported-tokens.ts";
import type { Running } from "../running.ts";
import { closeCall, commitStep } from "./commit-step.ts";
import { addCost, type RunState } from "../state.ts";

type Failing = {
  readonly state: RunState;
  readonly parts: readonly Part[];
  readonly outcome: Extract<Outcome, { ok: false }>;
};

/**
 * A failed attempt: what it said is set aside, its cost counted, its reason shown; then another try, or the end. A prompt that was
 * too long is sent shorter, and a model that refuses tools is asked without them.
 */
export async function failStep(run: Running, { state, parts, outcome }: Failing): Promise<RunState> {
  if (state.at.kind !== "calling") throw new Error("no call is open");
  const { step, model } = state.at;
  const { failure } = outcome;
  const tries = [...state.at.tries, { model, failure, hadOutput: parts.length > 0 }];
  const chain = [state.model, ...run.models.fallbacks(state.model)];
  const isShortened = isWorthShortening(run, state, failure);
  const isWithoutTools = failure.code === "no-tools" && !run.models.lacksTools(model);
  if (isWithoutTools) run.models.noteNoTools(model);
  const next =
    isShortened || isWithoutTools
      ? ({ do: "call", model, delayMs: 0 } as const)
      : nextAttempt({ chain, attempts: tries, random: run.random });
  const paid = addCost(state, outcome.usage, outcome.costUsd);
  // With no try left, an answer that broke off is kept as far as it came, and can be continued.
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
      ? "It is asked again without them."
      : next.model === model
        ? again(next.delayMs)
        : `Asking ${name} instead.`;
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

const SHORTENED = "The prompt is too long for this model. It is shortened and sent again.";
/** A prompt that nobody would call long is refused for another reason. */
const LONG_TOKENS = 2_000;
const MOST_SHORTENINGS = 3;
/** What is left of the conversation when a prompt is shortened as far as it goes, and the room for an answer beside it. */
const LEAST = { conversationTokens: 400, answerTokens: 1_000 };
/** The next prompt is made to fit this share of `tooLong`. */
const SHARE = 0.7;

/**
 * A prompt that the server calls too long is shortened while there is something to leave out. Any other bad request with a long
 * prompt may mean the same in words that are not known here: it is sent shorter once.
 */
function isWorthShortening(run: Running, state: RunState, { code }: ModelFailure): boolean {
  if (state.at.kind !== "calling") return false;
  const { promptTokens, fixedTokens = 0, model, tries } = state.at;
  if (promptTokens - fixedTokens <= LEAST.conversationTokens * 1.5) return false;
  if (code === "too-long") {
    return tries.filter(({ failure }) => failure.code === "too-long").length < MOST_SHORTENINGS;
  }
  const window = run.models.find(model)?.info.windowTokens ?? null;
  const isLong = promptTokens > (window === null ? LONG_TOKENS : window / 2);
  return code === "bad-request" && isLong && state.tooLong === undefined;
}

/** A limit that the error names holds for later prompts too. */
function learnNamed(run: Running, { at }: RunState, { code, windowTokens = 0 }: ModelFailure): readonly Write[] {
  if (at.kind !== "calling" || code !== "too-long" || windowTokens < LEAST_WINDOW) return [];
  return [run.learnedWindows.learn(at.model, windowTokens, at.promptTokens).write];
}

/** Smaller each time; a window that the server named is used almost whole. The newest words always keep some room. */
function toTooLong(state: RunState, windowTokens: number | undefined): number {
  if (state.at.kind !== "calling") return state.tooLong ?? 0;
  const { promptTokens, fixedTokens = 0 } = state.at;
  const named = windowTokens === undefined ? Infinity : (windowTokens * 0.9) / SHARE;
  const before = state.tooLong === undefined ? Infinity : state.tooLong * SHARE;
  const least = (fixedTokens + LEAST.conversationTokens + LEAST.answerTokens) / SHARE;
  return Math.ceil(Math.max(least, Math.min(promptTokens, named, before)));
}

/** Readable, counted, outside every prompt. A call of an abandoned attempt was never run. */
export const supersede = (parts: readonly Part[], reason: string): readonly Part[] =>
  parts.map((part): Part => {
    if (part.kind === "text" || part.kind === "reasoning") return { ...part, state: "cut", aside: reason };
    if (part.kind !== "tool") return { ...part, aside: reason };
    return { ...part, state: "cancelled", errorText: "Not run: its attempt was set aside.", aside: reason };
  });

/** Half a tool call cannot be continued. */
export const hasOnlyText = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.kind === "text" && part.text.trim() !== "") && !parts.some(({ kind }) => kind === "tool");

/** The text stays in the answer, as cut; the rest is set aside: the signature of its reasoning is lost. */
export const keepText = (parts: readonly Part[], reason: string): readonly Part[] => [
  ...supersede(
    parts.filter(({ kind }) => kind !== "text"),
    reason,
  ),
  ...parts.flatMap((part): Part[] => (part.kind === "text" ? [{ ...part, state: "cut" }] : [])),
];

const again = (delayMs: number): string =>
  delayMs < 1000 ? "Trying again." : `Trying again in ${Math.round(delayMs / 1000)} s.`;
