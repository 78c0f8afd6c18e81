/** A fact in a text that can be looked up in a source. */
export type Fact = {
  readonly kind: "number" | "date" | "id" | "address" | "quote" | "name" | "word";
  readonly text: string;
};

/** Applied in this order. Text matched by one pattern is hidden from the next. */
const patterns: readonly { readonly kind: Fact["kind"]; readonly pattern: RegExp }[] = [
  {
    kind: "quote",
    pattern:
      /“([^”\n]{1,200})”|"([^"\n]{1,200})"|«([^»\n]{1,200})»|„([^“”\n]{1,200})[“”]|`([^`\n]{1,200})`|(?<![\p{L}\p{N}])'([^'\n]{2,80})'(?![\p{L}\p{N}])|「([^」\n]{1,200})」/gu,
  },
  {
    kind: "address",
    pattern:
      /\b(?:https?:\/\/|www\.)[^\s<>"'`)\]]+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\p{L}\p{N}_.-])(?:~?\/)?[\w.-]+(?:\/[\w.-]+)+/gu,
  },
  {
    kind: "id",
    pattern:
      /(?<![\p{L}\p{N}_])(?=[\p{L}\p{N}_#-]{0,80}\p{N})(?=[\p{L}\p{N}_#-]{0,80}\p{L})[\p{L}\p{N}_]+(?:[-#.:][\p{L}\p{N}_]+)*/gu,
  },
  { kind: "number", pattern: /\p{Nd}+(?:[.,'’\u00a0\u202f]\p{Nd}+)*/gu },
];

const scripts = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;

export const months = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
] as const;
const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
export const numberWords: Readonly<Record<string, number>> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
  hundred: 100,
  thousand: 1000,
  million: 1_000_000,
  dozen: 12,
};
/** `may` is mostly a verb. As a month it is found only as part of a date. */
const telling = new Set([...months.filter((month) => month !== "may"), ...days, ...Object.keys(numberWords)]);

export function listFacts(text: string): readonly Fact[] {
  const facts: Fact[] = [];
  let rest = text.normalize("NFKC").replace(/^[ \t]*(?:[-*•]|\d{1,2}[.)])\s+/gmu, " ");
  const takeDates = (): void => {
    for (const { text: date } of listDates(rest)) {
      facts.push({ kind: "date", text: date });
      rest = rest.replaceAll(date, TAKEN);
    }
  };
  for (const { kind, pattern } of patterns) {
    if (kind === "number") takeDates();
    rest = rest.replace(pattern, (whole, ...groups: unknown[]) => {
      const inner = groups.find((group): group is string => typeof group === "string" && group !== rest) ?? whole;
      facts.push(...toFacts(kind, kind === "quote" ? inner : whole));
      // Numbers in a quotation are checked as part of it.
      return TAKEN;
    });
  }
  for (const [name] of rest.matchAll(names)) facts.push({ kind: "name", text: name });
  for (const [word] of rest.matchAll(/\p{L}+/gu))
    if (telling.has(word.toLowerCase())) facts.push({ kind: "word", text: word });
  return facts;
}

/** Replaces matched text, so that the words around it do not become neighbors. */
const TAKEN = " | ";

/** Two capitalized words in a row within a sentence, or a word in capitals. German nouns rarely match. */
const names = /(?<=[\p{Ll}\p{N},;:]\s{1,3})\p{Lu}\p{Ll}+(?:\s+\p{Lu}\p{Ll}+)+|(?<!\p{L})\p{Lu}{3,}(?!\p{L})/gu;

function toFacts(kind: Fact["kind"], text: string): readonly Fact[] {
  if (kind === "id") {
    // "5km", "3rd", "20GB": a number with its unit. In scripts without spaces, letters follow numbers directly.
    const unit = /^(\p{Nd}+)\p{L}{1,4}$/u.exec(text)?.[1];
    if (unit !== undefined) return [{ kind: "number", text: unit }];
    if (scripts.test(text))
      return [...text.matchAll(/\p{Nd}+(?:[.,]\p{Nd}+)*/gu)].map(([one]) => ({ kind: "number", text: one }));
  }
  return [{ kind, text: text.replace(/(?<![.,;:!?])[.,;:!?]+$/u, "") }];
}

/** A day as `2026-07-04`; without a year as `--07-04`. */
type FoundDate = { readonly text: string; readonly days: readonly string[] };

const month = months.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join("|");
const dayFirst = new RegExp(
  `(?<![\\d.,/-])(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+)?(${month})\\b\\.?(?:,?\\s+(\\d{4}))?`,
  "giu",
);
const monthFirst = new RegExp(`\\b(${month})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,?\\s+(\\d{4}))?`, "giu");

export function listDates(text: string): readonly FoundDate[] {
  const found: FoundDate[] = [];
  const add = (whole: string, ...days: (string | undefined)[]) => {
    const known = days.filter((day): day is string => day !== undefined);
    if (known.length > 0) found.push({ text: whole, days: known });
  };
  for (const [whole, y, m, d] of text.matchAll(/(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g))
    add(whole, toDay(y, m, d));
  for (const [whole, a, b, y] of text.matchAll(/(?<![\d.])(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?!\d)/g))
    add(whole, toDay(y, a, b), toDay(y, b, a));
  for (const [whole, y, m, d] of text.matchAll(/(\d{4})年(\d{1,2})月(\d{1,2})日/g)) add(whole, toDay(y, m, d));
  for (const [whole, d, name, y] of text.matchAll(dayFirst)) add(whole, toDay(y, toMonth(name), d));
  for (const [whole, name, d, y] of text.matchAll(monthFirst)) add(whole, toDay(y, toMonth(name), d));
  return found;
}

const toMonth = (name = ""): string =>
  String(months.findIndex((month) => month.startsWith(name.slice(0, 3).toLowerCase())) + 1);

function toDay(year: string | undefined, month = "", day = ""): string | undefined {
  const [m, d] = [Number(month), Number(day)];
  if (m < 1 || m > 12 || d < 1 || d > 31) return undefined;
  return `${year ?? "-"}-${String(m).padStart(2, "0")}-${String(d).padStart(2, "0")}`;
}

/** All values that a number may mean: `1.234` may be a decimal or 1234. Digits of all scripts are normalized. */
export function toValues(text: string): readonly string[] {
  const plain = text.replace(/\p{Nd}/gu, toDigit).replace(/['’\u00a0\u202f]/g, "");
  const marks = plain.replace(/\d/g, "");
  const whole = trim(plain.replace(/[.,]/g, ""));
  if (marks === "") return [whole];
  const isGrouped = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/.test(plain);
  const last = Math.max(plain.lastIndexOf("."), plain.lastIndexOf(","));
  const decimal = trim(`${plain.slice(0, last).replace(/[.,]/g, "")}.${plain.slice(last + 1)}`);
  if (isGrouped) return marks.length === 1 ? [whole, decimal] : [whole];
  return marks.length > 1 && new Set(marks).size === 1 ? [plain] : [decimal];
}

const toDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 48;
  if (code < 128) return digit;
  // The ten digits of a script are consecutive code points.
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(Math.min(9, code - zero));
};

const trim = (value: string): string => {
  const short = value.includes(".") ? value.replace(/(?<!0)0+$/, "").replace(/\.$/, "") : value;
  return short.replace(/^0+(?=\d)/, "");
};
