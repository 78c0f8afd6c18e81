import type { ModelInfo } from "../../protocol/api.ts";
import type { Reason } from "../../protocol/run.ts";
import { say, sayMore, sentence } from "../../protocol/sentences.ts";
import type { Attempt } from "./model.ts";

/**
 * Decides what follows a failed call, from the chain of models and all attempts of this step: the next call with its
 * delay, or giving up with a reason. Pure; the run waits, calls and records.
 */
type NextAttempt =
  | { readonly do: "call"; readonly model: string; readonly delayMs: number }
  | { readonly do: "give-up"; readonly reason: Reason };

export const fallbackLimits = {
  attemptsPerStep: 5,
  retriesPerModel: 2,
  /** A provider that asks for a longer wait is skipped. */
  maxRetryAfterMs: 20_000,
  /** The longest wait if no other model is left and a user sees that the answer waits. */
  maxWaitMs: 60_000,
  /** How often a step waits for a circuit breaker. These attempts call no provider and are counted apart. */
  restsPerStep: 5,
  firstDelayMs: 500,
  maxDelayMs: 8_000,
} as const;

export const nextAttempt = (options: {
  readonly chain: readonly string[];
  readonly attempts: readonly Attempt[];
  readonly random: () => number;
  /** A user sees the wait and can end it, so it may be longer. */
  readonly isWaitVisible?: boolean;
  readonly limits?: typeof fallbackLimits;
}): NextAttempt => {
  const { chain, attempts, random } = options;
  const limits = options.limits ?? fallbackLimits;
  const last = attempts.at(-1);
  if (last === undefined) {
    const first = chain[0];
    return first === undefined ? giveUp(unknownModel) : { do: "call", model: first, delayMs: 0 };
  }
  // No time is left for this answer.
  if (last.failure.code === "time-limit") return giveUp(toReason(attempts));
  const rests = attempts.filter(isRest).length;
  if (attempts.length - rests >= limits.attemptsPerStep || rests > limits.restsPerStep)
    return giveUp(toReason(attempts));

  const next = chain.slice(chain.indexOf(last.model) + 1).find((id) => !attempts.some((one) => one.model === id));
  const isLong = next === undefined && options.isWaitVisible === true;
  const isShort = (last.failure.retryAfterMs ?? 0) <= (isLong ? limits.maxWaitMs : limits.maxRetryAfterMs);
  const isRepeated = (last.hadOutput || next === undefined) && mayRepeat(last, attempts);
  if (isShort && (isRepeated || isWorthRetrying(last, attempts, limits))) {
    return { do: "call", model: last.model, delayMs: delayFor(last, attempts, random, limits) };
  }
  if (next !== undefined) return { do: "call", model: next, delayMs: 0 };
  return giveUp(toReason(attempts));
};

type Limits = typeof fallbackLimits;

const isRest = ({ failure }: Attempt): boolean => failure.code === "resting";

/** Retry the same model: the provider's fault, no output yet, and retries left. */
const isWorthRetrying = (last: Attempt, attempts: readonly Attempt[], limits: Limits): boolean =>
  last.failure.fault === "provider" &&
  last.failure.code !== "resting" &&
  last.failure.code !== "loading" &&
  !last.hadOutput &&
  triesOf(last.model, attempts) <= limits.retriesPerModel;

/** One more call after an interrupted answer, or after a rest if no other model is left. */
const mayRepeat = (last: Attempt, attempts: readonly Attempt[]): boolean =>
  last.failure.fault === "provider" && (isRest(last) || (last.hadOutput && triesOf(last.model, attempts) <= 1));

/** Calls of this model in this step. */
const triesOf = (model: string, attempts: readonly Attempt[]): number =>
  attempts.filter((one) => one.model === model && !isRest(one)).length;

const delayFor = (last: Attempt, attempts: readonly Attempt[], random: () => number, limits: Limits): number => {
  // Rests count too, so that many waiting answers do not ask the breaker every second.
  const failed = attempts.filter(({ model }) => model === last.model).length;
  const grown = Math.min(limits.firstDelayMs * 2 ** (failed - 1), limits.maxDelayMs);
  const jittered = Math.round(grown * (0.5 + random() / 2));
  return Math.max(jittered, last.failure.retryAfterMs ?? 0);
};

const giveUp = (reason: Reason): NextAttempt => ({ do: "give-up", reason });

const unknownModel: Reason = { code: "not-found", ...say(sentence("model-unknown")) };

const toReason = (attempts: readonly Attempt[]): Reason => {
  const last = attempts.at(-1);
  if (last === undefined) return unknownModel;
  const models = new Set(attempts.map((one) => one.model));
  const tried = attempts.length === 1 ? [] : [sentence("tried", attempts.length, [...models].join(", "))];
  const advice = isRest(last) ? [sentence("rest-advice")] : [];
  return { code: last.failure.code, ...sayMore(last.failure, ...advice, ...tried) };
};

type FallbackOptions = {
  readonly wanted: readonly string[] | undefined;
  readonly isLocal: boolean;
  /** It is on an OpenAI-compatible server. */
  readonly isServer: boolean;
  /** Also finds models that are not listed. */
  readonly find: (id: string) => ModelInfo | undefined;
};

/**
 * The models to try after this one: the operator's list in its order. Without a list, up to two models of the same
 * provider that cost no more, most expensive first. An OpenAI-compatible server without a list has no fallbacks, because no
 * one chose its other models for that. A free model is followed only by free ones, and `offline` only if it is listed. A
 * local model is followed only by models of the same server: the operator's list never sends its thread to another one.
 */
export const rankFallbacks = (
  from: ModelInfo | undefined,
  models: readonly ModelInfo[],
  { wanted, isLocal, isServer, find }: FallbackOptions,
): readonly string[] => {
  if (from === undefined) return [];
  const isUsable = (model: ModelInfo): boolean =>
    model.available &&
    model.id !== from.id &&
    (!from.free || model.free) &&
    (!isLocal || model.provider === from.provider || model.provider === "offline");
  if (wanted !== undefined) {
    const chosen = wanted.map(find).filter((model) => model !== undefined);
    return [...new Set(chosen.filter(isUsable).map((model) => model.id))];
  }
  if (isServer) return [];
  return models
    .filter(isUsable)
    .filter((model) => model.provider === from.provider && costsNoMore(model, from) && model.free === from.free)
    .toSorted((a, b) => (b.prices.output ?? 0) - (a.prices.output ?? 0))
    .slice(0, 2)
    .map((model) => model.id);
};

const costsNoMore = (model: ModelInfo, from: ModelInfo): boolean => {
  if (model.free) return true;
  const { input, output } = model.prices;
  if (input === null || output === null || from.prices.input === null || from.prices.output === null) return false;
  return input <= from.prices.input && output <= from.prices.output;
};
