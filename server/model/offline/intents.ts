import { isStopWord } from "./passages.ts";
import type { Input, PlannedCall } from "./tool-results.ts";

/** A plain request. Found with patterns for whole English sentences, not by understanding. */
export type ParsedRequest =
  | {
      readonly kind: "call";
      readonly calls: readonly [PlannedCall, ...PlannedCall[]];
      /** Asked for in so many words: worth searching the catalog for a tool that is not offered. */
      readonly isExplicit: boolean;
    }
  | { readonly kind: "research"; readonly subject: string }
  /** Something is missing: what to ask the user. */
  | { readonly kind: "ask"; readonly tool: string; readonly text: string };

export const toCall = (name: string, input: Input): ParsedRequest => ({
  kind: "call",
  calls: [{ name, input }],
  isExplicit: true,
});

const courtesy =
  /^(?:["“]|(?:hey|hi|hello|ok|okay|so|now|and|please|pls|kindly|can you|could you|would you|will you|i want you to|i would like you to|i['’]d like you to|help me(?: to)?)[\s,!:]+)+/iu;
const ending = /(?:[\s,?？!！.。…"”]|(?<=[\s,])(?:please|pls|for me|thanks|thank you))+$/iu;

/** The text without courtesies and final punctuation. */
export const toRequest = (text: string): string => text.trim().replace(courtesy, "").replace(ending, "").trim();

export const isQuestion = (text: string): boolean =>
  /[?？؟]/u.test(text) ||
  /^\s*(?:who|whom|whose|what|when|where|why|which|how|do|does|did|is|are|was|were|can|could|will|would|should|have|has|tell me|show me|find)(?![\p{L}\p{N}])/iu.test(
    text,
  );

const sumQuestion =
  /^(?:(?<verb>calculate|compute|work out|evaluate)|what(?:['’]s| is)|how much (?:is|are)|solve)[\s:]*/iu;
const spokenOperators: readonly (readonly [RegExp, string])[] = [
  [/(?:multiplied by|times)(?![\p{L}])/giu, "*"],
  [/(?:divided by|over)(?![\p{L}])/giu, "/"],
  [/plus(?![\p{L}])/giu, "+"],
  [/minus(?![\p{L}])/giu, "-"],
  [/square root of\s*(\d+(?:\.\d+)?)/giu, "sqrt($1)"],
  [/squared(?![\p{L}])/giu, "^2"],
  [/(?:percent|per cent)(?![\p{L}])/giu, "%"],
];
const functions = "sqrt|abs|round|floor|ceil|min|max|mod|log|ln|exp|sin|cos|tan";
/** One character or word at a time, so that matching stays linear. */
const expressionForm = new RegExp(
  `^(?:[\\d\\s]|(?<=\\d)\\.(?=\\d)|pi|tau|e|deg|(?:${functions})(?=\\s{0,20}\\()|of|[-+*/^%(),×·÷−])+$`,
  "iu",
);
const hasOperator = new RegExp(`\\d\\s*(?:[+*/^×·÷−-]|% of)|(?:${functions})\\s*\\(|\\d\\s*%\\s*(?:of|\\d)`, "iu");
/** Dates, telephone numbers and the like. */
const isNumberName = /^\d{1,2}\/\d{1,2}(?:\/\d{2,4})?$|^\d{4}-\d{2}-\d{2}$|^[+\d]\d*(?:[-/]\d+)+$/;

/** An arithmetic expression with nothing around it but the request to calculate it. */
export const findSum = (text: string): ParsedRequest | undefined => {
  const plain = toRequest(text);
  const question = sumQuestion.exec(plain);
  const expression = toExpression(plain.slice(question?.[0].length ?? 0));
  if (!expressionForm.test(expression) || !hasOperator.test(expression)) return undefined;
  const isCertain = plain.endsWith("=") || question?.groups?.["verb"] !== undefined;
  return !isCertain && isNumberName.test(expression) ? undefined : toCall("calculate", { expression });
};

export const toExpression = (text: string): string =>
  spokenOperators
    .reduce((rest, [form, sign]) => rest.replace(form, sign), text.replace(/^the\s+/i, ""))
    .replace(/[?=\s]{1,20}$/, "")
    .trim();

const timeQuestion =
  /what(?:'s|’s| is)? (?:the )?(?:current )?(?:time|date|day)(?: is it| today| now|\W|$)|(?:today'?s|current) (?:date|time)|what day is/iu;

export const findTime = (text: string): ParsedRequest | undefined => {
  if (!timeQuestion.test(text)) return undefined;
  const toWords = (words: string): string =>
    ` ${words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim()} `;
  const timeZone = Intl.supportedValuesOf("timeZone").find((zone) =>
    toWords(text).includes(toWords(zone.split("/").at(-1) ?? "")),
  );
  return toCall("now", timeZone === undefined ? {} : { timeZone });
};

const day =
  "right now|now|today|tonight|tomorrow|this (?:week|weekend|morning|evening|afternoon)|next week|for the next \\d+ days";
const days = `(?:(?:${day})[ ,]+)*`;
const place = `(?<place>[\\p{L}\\p{N}][\\p{L}\\p{N} .,'’()-]{0,98}?)(?:[ ,]+(?:${day}))*`;
/** Whole requests, so that a story about the weather is none. */
const weatherForms = [
  `(?:(?:what(?:['’]s| is| will)?|how(?:['’]s| is| will)?|tell me|show me|give me|check|get|look up)\\s+)?(?:is |be )?(?:the |me the )*(?:current )?(?:weather|forecast|temperature)(?: forecast| report)?(?: be)?(?: like)?\\s+${days}(?:in|for|at|of|near)\\s+${place}`,
  `(?:will it|is it|does it|is it going to)\\s+(?:be )?(?:\\p{L}+ ){0,2}?(?:rain|raining|snow|snowing|hot|cold|warm|sunny|windy)\\s+${days}(?:in|at)\\s+${place}`,
  `how (?:hot|cold|warm|windy) (?:is|will) it(?: be)?\\s+${days}(?:in|at)\\s+${place}`,
].map((form) => new RegExp(`^${form}$`, "iu"));
const weatherAnywhere =
  /^(?:what(?:['’]s| is)|how(?:['’]s| is))?\s*(?:the )?weather(?: like| forecast)?(?:\s+(?:today|tomorrow|now))*$/iu;

/** Without a place, the location in the user's memory is used. */
export const findWeather = (text: string, memory: ReadonlyMap<string, string>): ParsedRequest | undefined => {
  const request = toRequest(text);
  if (/\b(?:was|were|has been|had been)\b/i.test(request) && !isQuestion(text)) return undefined;
  const found = weatherForms.map((form) => form.exec(request)?.groups?.["place"]?.trim()).find(Boolean);
  if (found !== undefined) return toCall("weather", { place: found.slice(0, 100) });
  if (!weatherAnywhere.test(request)) return undefined;
  const home = memory.get("location");
  if (home !== undefined) return toCall("weather", { place: home });
  return { kind: "ask", tool: "weather", text: "For which place? Ask me, for example: *weather in Bergen*." };
};

const urlForm = /https?:\/\/[^\s<>"'`\\)\]}」]+/giu;
const readVerb =
  /^(?:read|open|summari[sz]e|sum up|look at|check(?: out)?|visit|fetch|scrape|quote|show|get)(?![\p{L}\p{N}])/iu;
const numbered = /\[(\d{1,9})\]|\b(?:source|artifact|citation|page|text|result|reference)\s+#?(\d{1,9})\b/iu;

/** Pages by their URL, or an artifact by its number. A URL in a statement is no request. */
export const findReading = (text: string): ParsedRequest | undefined => {
  const urls = listUrls(text);
  const around = text.replace(urlForm, " ").replace(/\s+/g, " ");
  const request = toRequest(around);
  if (urls.length > 0) {
    const isAsked = request === "" || readVerb.test(request) || isQuestion(around);
    return isAsked ? toCall("scrape_webpage", { urls }) : undefined;
  }
  const match = numbered.exec(request);
  const ref = Number(match?.[1] ?? match?.[2] ?? 0);
  if (ref === 0 || !(readVerb.test(request) || /^what does\b/i.test(request))) return undefined;
  return toCall("read_artifact", { ref });
};

export const listUrls = (text: string): readonly string[] => {
  const found = (text.match(urlForm) ?? []).map((url) => url.replace(/[.,;:!?。，？！]{1,20}$/u, ""));
  return [...new Set(found)].filter((url) => URL.canParse(url)).slice(0, 3);
};

/** The question about a page or artifact, without the words that only name it; may be empty. */
export const toReadingSubject = (text: string): string =>
  toRequest(text.replace(urlForm, " ").replace(/\s+/g, " "))
    .replace(readVerb, " ")
    .replace(numbered, " ")
    .replace(/\b(?:this|the|page|site|website|article|source|briefly|it|and|about|me)\b/giu, " ")
    .replace(/\s+/g, " ")
    .trim();

const web = "(?:(?:on|in|through) the (?:web|internet|net)|the (?:web|internet|net)|online)";
const subject = "(?<subject>\\S.*)";
/** Whole requests: "I searched for my keys" and "research shows that ..." are statements. */
const researchForms = [
  `(?:search|do a search|look)(?: ${web})? (?:for|about|on)\\s+${subject}`,
  `search(?: ${web})?\\s+(?!engines?|results?|part(?:y|ies)|terms?|warrants?|is|was|for)${subject}`,
  `(?:look up|google|browse(?: ${web})?(?: for)?|find out(?: about| more about)?|find (?:me )?(?:information|sources|articles|news|facts|something) (?:on|about|for))\\s+${subject}`,
  `(?:do (?:some |a little )?)?research(?: on| into| about)?\\s+(?!is|are|was|were|has|have|had|shows?|showed|says|suggests?|indicates?|found|papers?|group|team|question)${subject}`,
  `(?:what(?:['’]s| is| are) |(?:tell|give|show) me )?(?:the |some |any )?(?:latest|recent|newest|current|breaking)?\\s*(?:news|headlines|developments|updates?) (?:about|on|of|from|regarding)\\s+${subject}`,
  `(?:what(?:['’]s| is) |tell me )(?:the )?(?:latest|newest) (?:on|about|with|in)\\s+${subject}`,
  `what(?: does| do) (?:${web}|people online) say (?:about|on)\\s+${subject}`,
].map((form) => new RegExp(`^${form}$`, "isu"));

const webEnding = new RegExp(`[\\s,]+${web}$`, "iu");

/** The subject to look up on the web; undefined if the text asks for something else. */
export const findResearch = (text: string): string | undefined => {
  const request = toRequest(text).replace(/^([\p{L} ]{3,40}):\s*/u, "$1 ");
  const found = researchForms.map((form) => form.exec(request)?.groups?.["subject"]).find(Boolean);
  return found?.replace(webEnding, "").trim() || undefined;
};

const MAX_QUERY_CHARACTERS = 200;

/** A search query: the text without courtesies and leading stop words, cut between words. */
export const findQuery = (text: string): string => {
  const plain = toRequest(text.slice(0, 1000).replace(/\s+/g, " "));
  const words = plain.split(" ");
  const first = words.findIndex((word) => !isStopWord(word));
  const query = first > 0 ? words.slice(first).join(" ") : plain;
  if (query.length <= MAX_QUERY_CHARACTERS) return query;
  const head = query.slice(0, MAX_QUERY_CHARACTERS).toWellFormed();
  return head.includes(" ") ? head.slice(0, head.lastIndexOf(" ")) : head;
};
