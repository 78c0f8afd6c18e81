import type { ModelFailure } from "../../protocol/model.ts";
import { isTooLong } from "./too-long.ts";

export type Verdict = {
  readonly code: ModelFailure["code"];
  readonly fault: ModelFailure["fault"];
  readonly explain: (label: string) => string;
  /** Whether the provider's message is quoted to the user. */
  readonly quotes: boolean;
};

/** Classifies by the text of the error. */
const classifyText = (words: string): Verdict | undefined => {
  if (isTooLong(words)) return verdicts.tooLong;
  return byWords.find(([pattern]) => pattern.test(words))?.[1];
};

const verdict = (
  code: ModelFailure["code"],
  fault: ModelFailure["fault"],
  explain: Verdict["explain"],
  quotes = true,
): Verdict => ({ code, fault, explain, quotes });

export const verdicts = {
  tooLong: verdict(
    "too-long",
    "request",
    (label) =>
      `The conversation is too long for this model of ${label}. Choose a model with a larger window, or start a new thread.`,
  ),
  noTools: verdict("no-tools", "request", (label) => `This model of ${label} does not support tools.`, false),
  loading: verdict("loading", "provider", (label) => `${label} is loading the model. Try again in a moment.`),
  refused: verdict(
    "refused",
    "request",
    (label) => `${label} refused to answer this. Say it differently, or choose another model.`,
  ),
  badRequest: verdict(
    "bad-request",
    "request",
    (label) => `${label} did not accept the request. Choose another model, or try again.`,
  ),
  unauthorized: verdict(
    "unauthorized",
    "settings",
    (label) => `${label} did not accept the key. Check the key in the settings of this instance.`,
    false,
  ),
  noCredit: verdict(
    "no-credit",
    "settings",
    (label) => `The account at ${label} has no credit left. Top it up there, or choose a free model.`,
  ),
  notFound: verdict(
    "not-found",
    "settings",
    (label) => `${label} does not know this model, or the address is wrong. Choose another model.`,
  ),
  limited: verdict(
    "rate-limited",
    "provider",
    (label) => `${label} is limiting requests right now. Wait a little, or choose another model.`,
  ),
  overloaded: verdict(
    "overloaded",
    "provider",
    (label) => `${label} is overloaded right now. Try again in a moment, or choose another model.`,
  ),
  broken: verdict(
    "server-error",
    "provider",
    (label) => `Something broke at ${label}. Try again, or choose another model.`,
  ),
  late: verdict("timed-out", "provider", (label) => `${label} took too long. Try again, or choose another model.`),
} as const;

const byWords: readonly (readonly [RegExp, Verdict])[] = [
  [
    /(?:not|n't) (?:currently )?support(?:ed)?(?: for)?(?: with)?(?: the)? ?(?:use of )?[`'"]?(?:tools?|function|auto.? tool)|support tool use|tool[ _-]?(?:use|calls?|calling|choice)[`'"]? (?:is|are|was) (?:not|un)|function.?calling[`'"]? is not|enable-auto-tool-choice|tool-call-parser|requires --jinja|tools param requires/i,
    verdicts.noTools,
  ],
  [
    /loading (?:the )?model|model .{0,80}(?:is|still) (?:currently |still )?(?:being )?loading|warming up|is starting up|not (?:yet )?(?:finished|done) loading/i,
    verdicts.loading,
  ],
  [/insufficient_quota|insufficient credits|credit balance|billing|payment required|more credits/i, verdicts.noCredit],
  [/api.?key|authentication_error|unauthenticated|no auth credentials|invalid_api_key/i, verdicts.unauthorized],
  [/content.?(?:policy|filter)|safety|moderation|flagged/i, verdicts.refused],
  [/overloaded|capacity|temporarily unavailable/i, verdicts.overloaded],
  [/rate.?limit|resource_exhausted|too many requests|quota/i, verdicts.limited],
  [/model_not_found|not a valid model|no endpoints found|not_found_error/i, verdicts.notFound],
  [/invalid_request_error|invalid_argument/i, verdicts.badRequest],
];

/** Servers send these with any status code. */
const anyStatus: ReadonlySet<Verdict | undefined> = new Set([verdicts.noTools, verdicts.loading]);

/** An exact status decides; a broad one such as 400 is refined by the text. Status 0: none was given. */
export const classifyStatus = (status: number, words: string): Verdict => {
  const byText = classifyText(words);
  if (byText !== undefined && anyStatus.has(byText) && status !== 401 && status !== 429) return byText;
  switch (status) {
    case 401:
      return verdicts.unauthorized;
    case 402:
      return verdicts.noCredit;
    case 403:
      return byText === verdicts.refused || byText === verdicts.noCredit ? byText : verdicts.unauthorized;
    case 404:
      return verdicts.notFound;
    case 408:
    case 504:
    case 524:
      return verdicts.late;
    case 413:
      return verdicts.tooLong;
    case 429:
      // "Request too large … on tokens per minute": a shorter request succeeds.
      return byText === verdicts.noCredit || /request too large/i.test(words)
        ? (byText ?? verdicts.limited)
        : verdicts.limited;
    case 503:
    case 529:
      return verdicts.overloaded;
    default:
      break;
  }
  if (status >= 500) return byText === verdicts.overloaded || byText === verdicts.tooLong ? byText : verdicts.broken;
  if (status >= 400) return byText ?? verdicts.badRequest;
  if (status >= 300) return verdicts.notFound;
  return byText ?? verdicts.broken;
};
