import type { NameKind } from "../names.ts";
import { countLetters, measureWords, type Letters } from "./letters.ts";

/** Whether a value can be a secret, judged by its form and by its name. */
type ValueContext = {
  readonly name: NameKind;
  /** In quotes, so it is a literal; otherwise it may be code or prose. */
  readonly isQuoted: boolean;
  /** A JSON field or a line of an environment file, where only a value can be. */
  readonly isField?: boolean;
  /** No operator between name and value: "the password is ...". */
  readonly isLoose: boolean;
};

/** Above this score the letters form words. */
const wordLimit = 4.7;

const fillers =
  /^(?:true|false|null|nil|none|undefined|void|string|str|number|int|integer|bool(?:ean)?|text|any|object|array|required|optional|unknown|default|example|changeme|redacted|hidden|masked|removed|empty|n\/a|todo|test|user(?:name)?|admin|root|login|basic|bearer|digest|token|secret|password|passwd|passphrase|pass|pwd|key|value|credentials?|cookies?|header|body|email)$/i;
/** A placeholder to fill in, a mask, or one repeated character. */
const holes =
  /^[$%@#&]?[{<[(]|^\$[A-Za-z_$]|[$#]\{|\{\{|^%[A-Za-z_]+%$|^[A-Z]+_[A-Z_]+$|^%[sdv@]|\*{3}|^[*•.…_x-]+$|^(.)\1+$|\.\.\.$|…$|x{6}|^x{3,}|\\[nrt]?$|^\\u00|REDACTED|\ufffc|\[\^?[a-z0-9]-[a-z0-9]|\\[dwsb][+*{]|\(\?[:=!<]/i;
const yours =
  /\b(?:your|my|the|our|their|some|insert|enter|replace|change|put|fill)[-_ ]|(?:your|example|sample|dummy|placeholder|fake|redact|changeme)/i;
const place = /^(?:[a-z][a-z0-9+.-]*:\/\/|\/[a-z]|\.{1,2}\/|~\/|[A-Za-z]:\\|www\.|mailto:)/i;
const file =
  /\.(?:pem|key|crt|cer|json|ya?ml|txt|env|m?[jt]sx?|py|rb|go|rs|java|html?|css|md|png|jpe?g|svg|com|org|net|io|dev|conf|cfg|ini|log|sh|xml|csv|pdf|zip)\b/i;
/** `user.password`, `process.env.TOKEN`, `get_token`, `--flag`, `camelCase`. */
const program = /^[-@#.!&*]*[A-Za-z_$]+\d?(?:(?:\??\.|->|::?|[-/]|(?<=\d)_)[A-Za-z_$]+\d?)*[?!:;.]*$/;
const dateOrNumber = /^[-+]?[\d.,:/\sT+-]+[%a-z]{0,3}$|^\d+(?:\.\d+)*(?:px|ms|s|m|h|d|kb|mb|gb|em|rem|%)?$/i;
const isUuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
/** A token wrapped over several lines. */
const isWrapped = /^[\w+/=.-]{8,}(?:\\?[^\S\n]*\n\s*[\w+/=.-]+)+\s*$/;
const isHex = /^(?:0x)?[\da-f]+$/i;

/** No real value: empty, a placeholder word, `<...>` or `****`. */
export const isBlank = (value: string): boolean => {
  const trimmed = value.trim();
  return trimmed === "" || fillers.test(trimmed) || /^[$%]?[{<[(].*[}>\])]$|^[*•.…x_-]+$|^\$[A-Z_]+$/.test(trimmed);
};

/** The start of a long value is enough to judge it. */
export const judgedLength = 300;

export function isSecretValue(whole: string, setting: ValueContext): boolean {
  const value = whole.length > judgedLength ? whole.slice(0, judgedLength) : whole;
  const { name, isQuoted, isLoose, isField = false } = setting;
  if (value.length < 4) return false;
  if (fillers.test(value) || holes.test(value) || place.test(value)) return false;
  if (/\s/.test(value)) return isWrapped.test(value) && isSecretValue(value.replace(/[\s\\]/g, ""), setting);
  const letters = countLetters(value);
  if (letters.distinct < 3) return false;
  if (name === "maybe") return isRandomEnough(value, letters, isQuoted ? 12 : 16);
  if (isLoose) return isLooselyBelievable(value, letters);
  if (isField && name === "password" && letters.length <= 200) return !yours.test(value) || letters.length >= 40;
  return name === "password" ? isPassword(value, letters, isQuoted) : isGenerated(value, letters, isQuoted);
}

/** A generated token is recognized without a name: long, mixed, and without words. */
export function isRandomToken(value: string): boolean {
  if (!/^[A-Za-z0-9_+/~.-]+={0,2}$/.test(value) || isHex.test(value) || isUuid.test(value) || file.test(value))
    return false;
  const { length, digits, upper, lower, changes, distinct } = countLetters(value);
  if (length < 20 || digits < 1 || digits > length * 0.45 || distinct < 12) return false;
  const words = measureWords(value) ?? 0;
  if (upper > 1 && lower > 1) {
    if (/[./]/.test(value) && (length < 32 || digits > length * 0.3)) return false;
    return digits > 1 ? changes >= length * 0.35 && words < 4.4 : changes >= length * 0.4 && words < 4;
  }
  return length >= 24 && digits >= 3 && changes >= length * 0.25 && words < 4.1 && !/[./]/.test(value);
}

function isPassword(value: string, letters: Letters, isQuoted: boolean): boolean {
  const { length, digits, upper, lower, other } = letters;
  if (length > 200 || (yours.test(value) && length < 40)) return false;
  const named = upper + lower;
  if (named === 0) return digits >= 4 && other === 0 && length === digits;
  const words = measureWords(value) ?? 0;
  if (isQuoted) {
    if (file.test(value) && other === 0) return false;
    return digits > 0 || other > 0 || (words < wordLimit && named >= 6);
  }
  if (program.test(value) || dateOrNumber.test(value)) return false;
  if (length < 6 || (file.test(value) && other === 0)) return false;
  if (digits > 0) return other > 0 || (upper > 0 && lower > 0) || words < wordLimit;
  return other > 0 && words < wordLimit;
}

function isGenerated(value: string, letters: Letters, isQuoted: boolean): boolean {
  const { length, digits, upper, lower, other } = letters;
  if (length < (isQuoted ? 8 : 10)) return false;
  if (length < 40 && (yours.test(value) || file.test(value))) return false;
  if (program.test(value) && digits < 2) return isQuoted && length >= 16 && upper > 2 && lower > 2 && isNoWord(value);
  if (dateOrNumber.test(value)) return false;
  if (isUuid.test(value)) return true;
  if (isHex.test(value)) return length >= 16 && digits > 1;
  if (upper + lower < 3) return false;
  if (digits === 0 && other === 0) return length >= 16 && isNoWord(value);
  return isNoWord(value) || (digits >= 3 && length >= 20 && (measureWords(value) ?? 0) < 5);
}

function isRandomEnough(value: string, letters: Letters, least: number): boolean {
  const { length, digits, upper, lower } = letters;
  if (length < least || digits < 1 || upper + lower < 4) return false;
  if (file.test(value) || isUuid.test(value)) return false;
  if (isHex.test(value)) return length >= 32;
  return (measureWords(value) ?? 0) < 4.4 && letters.changes >= length * 0.2;
}

function isLooselyBelievable(value: string, { length, digits, upper, lower, other, changes }: Letters): boolean {
  if (length < 8 || digits === 0 || program.test(value) || dateOrNumber.test(value) || file.test(value)) return false;
  if (isHex.test(value) || isUuid.test(value)) return length >= 32;
  if (upper > 0 && lower > 0 && other > 0) return true;
  if (upper > 0 && lower > 0 && changes >= 4) return isNoWord(value);
  return length >= 16 && changes >= 5 && isNoWord(value);
}

const isNoWord = (value: string): boolean => (measureWords(value) ?? 0) < wordLimit;
