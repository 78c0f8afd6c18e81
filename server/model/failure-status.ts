import type { ModelFailure } from "../../protocol/model.ts";
import { sentence, type Sentence } from "../../protocol/sentences.ts";
import { isTooLong } from "./too-long.ts";

export type Verdict = {
  readonly code: ModelFailure["code"];
  readonly fault: ModelFailure["fault"];
  readonly explain: (label: string) => Sentence;
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
  tooLong: verdict("too-long", "request", (label) => sentence("too-long", label)),
  noTools: verdict("no-tools", "request", (label) => sentence("no-tools", label), false),
  loading: verdict("loading", "provider", (label) => sentence("loading", label)),
  refused: verdict("refused", "request", (label) => sentence("refused", label)),
  badRequest: verdict("bad-request", "request", (label) => sentence("bad-request", label)),
  unauthorized: verdict("unauthorized", "settings", (label) => sentence("unauthorized", label), false),
  noCredit: verdict("no-credit", "settings", (label) => sentence("no-credit", label)),
  notFound: verdict("not-found", "settings", (label) => sentence("not-found", label)),
  limited: verdict("rate-limited", "provider", (label) => sentence("rate-limited", label)),
  overloaded: verdict("overloaded", "provider", (label) => sentence("overloaded", label)),
  broken: verdict("server-error", "provider", (label) => sentence("server-error", label)),
  late: verdict("timed-out", "provider", (label) => sentence("timed-out", label)),
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
