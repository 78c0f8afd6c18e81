import { DAY_MS } from "../../../lib/clock.ts";

/** Days in plain English, and what is left of the words without them. */
export type When = { readonly words: string; readonly from?: string; readonly to?: string };

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const month = `(?:${months.join("|")})[a-z]*\\.?`;
const clock = "(?:(?:\\s+at\\s+|[T\\s])(?<clock>\\d{1,2}:\\d{2}|\\d{1,2}\\s?[ap]m)(?<zone>Z|\\s?UTC)?)?";
const day =
  `(?:\\d{4}-\\d{2}-\\d{2}|today|tomorrow|(?:next |this )?(?:${days.join("|")})` +
  `|\\d{1,2}(?:st|nd|rd|th)? (?:of )?${month}(?:,? \\d{4})?|${month} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?)`;

const forms = [
  `\\s*,?\\s*(?:from )(?<from>${day})\\s+(?:to|until|till|-)\\s+(?<to>${day})`,
  `\\s*,?\\s*\\(?(?:(?:is |which is )?due(?: on| by| at)?|by|on|for|until|before)\\s+(?:the )?(?<from>${day})${clock}\\)?`,
  `\\s*,?\\s+(?<from>today|tomorrow)${clock}`,
].map((form) => new RegExp(`${form}(?![\\p{L}\\p{N}-])`, "iu"));

/** `now`: what time the request says it is; without it, only days that need none are understood. */
export function findWhen(text: string, now: number | undefined): When {
  for (const form of forms) {
    const found = form.exec(text);
    const { from = "", to, clock: hour } = found?.groups ?? {};
    const first = toDay(from, now);
    if (found === null || first === undefined) continue;
    const words = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`
      .replace(/\s+/g, " ")
      .trim();
    const last = to === undefined ? undefined : toDay(to, now);
    const time = hour === undefined ? "" : `T${toHours(hour)}Z`;
    return { words, from: `${first}${time}`, ...(last === undefined ? {} : { to: last }) };
  }
  return { words: text };
}

const toIso = (at: number): string => new Date(at).toISOString().slice(0, 10);

function toDay(text: string, now: number | undefined): string | undefined {
  const plain = text.toLowerCase().replace(/^(?:next|this) /, "");
  if (/^\d{4}-/.test(plain)) return plain;
  if (plain === "today") return now === undefined ? undefined : toIso(now);
  if (plain === "tomorrow") return now === undefined ? undefined : toIso(now + DAY_MS);
  const weekday = days.indexOf(plain);
  if (weekday >= 0) {
    if (now === undefined) return undefined;
    const ahead = (weekday - new Date(now).getUTCDay() + 7) % 7 || 7;
    return toIso(now + ahead * DAY_MS);
  }
  const at = months.findIndex((name) => new RegExp(`(?:^|[^a-z])${name}`).test(plain));
  const number = /(?<!\d)\d{1,2}(?!\d)/.exec(plain)?.[0];
  const year = /\d{4}/.exec(plain)?.[0] ?? (now === undefined ? undefined : String(new Date(now).getUTCFullYear()));
  if (at < 0 || number === undefined || year === undefined) return undefined;
  return `${year}-${String(at + 1).padStart(2, "0")}-${number.padStart(2, "0")}`;
}

function toHours(text: string): string {
  const [, hours = "0", minutes = "00", half = ""] = /^(\d{1,2})(?::(\d{2}))?\s?([ap]m)?$/i.exec(text) ?? [];
  const plain = Number(hours) % (half === "" ? 24 : 12);
  return `${String(plain + (half.toLowerCase() === "pm" ? 12 : 0)).padStart(2, "0")}:${minutes}`;
}

const told = /(\d{1,2}) (\p{L}+) (\d{4}), (\d{2}):(\d{2}) UTC/gu;

/** The newest time that a request tells. */
export function readNow(texts: readonly string[]): number | undefined {
  const [, date = "", name = "", year = "", hours = "", minutes = ""] =
    texts.flatMap((text) => (text.startsWith("<now>") ? [...text.matchAll(told)] : [])).at(-1) ?? [];
  const at = months.indexOf(name.slice(0, 3).toLowerCase());
  return at < 0 ? undefined : Date.UTC(Number(year), at, Number(date), Number(hours), Number(minutes));
}
