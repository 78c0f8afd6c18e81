import { classifyName, type NameKind } from "../names.ts";
import { isSecretValue, judgedLength } from "./judge.ts";
import type { Finder, Span } from "./span.ts";

/**
 * Secrets recognized by the name before them: `name = value`, `"name": "value"`, `--name value`, `<name>value</name>`,
 * `?name=value`, `name("value")`, headers, SQL, "the password is value". The text is scanned once, from name to name.
 */
export const nameBeginnings =
  /pass|pwd|pw\b|p\/w|psw|secret|sercret|token|key|cred|auth|bearer|cookie|session|mnemonic|seed|recovery|macaroon|preimage|invoice|salt|nonce|signature|sig\b|jwt|hmac|otp|cvv|cvc|\bpin\b|licen[cs]e|login|\bpat\b|\bapi\b|identified by|securestring|connectionstring|sas\b|webhook|psk\b|imsi|_val|kennwort|wachtwoord|contrase|senha|mdp\b|mot de passe|has[lł]o|пароль|密码|口令|パスワード|비밀번호|비번|암호|패스워드|토큰/gi;

const nameLimit = 64;
const valueLimit = 4_096;

const sticky = (source: string): RegExp => new RegExp(source, "iy");
/** Characters that may end the name: quotes, also escaped ones, brackets, a remark in brackets. */
const closing = "(?:\\\\*[\"'`]|&quot;|%22)?[\\])]{0,2}(?:\\*\\*)?(?: ?\\([^()\\n]{1,24}\\))?";
const assigned = sticky(
  `${closing}(?: (?:is|was|are))?[ \\t]{0,20}(?:===?|!==?|:=|=>|->|\\?=|\\|\\|=?|:{1,2}|=|%3[AaDd]|&#x3[DdAa];)[ \\t]{0,20}(?:\\r?\\n[ \\t]{0,40})?`,
);
const listed = sticky(`(?:\\\\*["'\`])?[ \\t]{0,4},[ \\t]{0,8}(?=["'\`bruL@])`);
const called = sticky(`${closing}[ \\t]{0,2}\\([ \\t]{0,2}`);
const tagged = sticky(`[^<>\\n]{0,80}>\\s{0,40}`);
const valued = sticky(`${closing}[ \\t]{1,8}(?:value|val|content|default)[ \\t]{0,4}[=:][ \\t]{0,4}`);
const loose = sticky(
  `${closing}[ \\t]{1,4}(?:(?:is|are|was|of \\S{1,24} is|for \\S{1,24} is|-string|-force|by)[ \\t]{1,4})*`,
);
const types = sticky(
  "(?:string|str|text|char|bytes?|const|final|varchar|&str|String|\\[\\]byte)\\b[ \\t?]{0,4}(?::?=|\\(|\\{)[ \\t]{0,8}",
);
const schemes = sticky(
  "(?:bearer|basic|token|negotiate|ntlm|digest|apikey|api-key|ssws|aws4-hmac-sha256|oauth|mac|hmac)[ \\t]{1,4}",
);
const opening = sticky("(?:[bruflBRUFL@]{1,2})?(\\\\*)(\"\"\"|'''|[\"'`]|&quot;)");
const bare = sticky("[^\\s\"'`<>,;|\\\\(){}\\[\\]\\u201c\\u201d]{1,4096}");
const bareHead = sticky(`[^\\s"'\`<>,;|\\\\(){}\\[\\]\\u201c\\u201d]{1,${judgedLength}}`);

const pathed = sticky("/(?=[\\w-]{20})");
const bytes = sticky(
  "(?:new[ \\t]+)?(?:\\[\\d*\\]byte|byte\\[\\d*\\]|bytes|\\[\\]u8|&)?[ \\t]{0,2}[{(\\[][\\s{(\\[]{0,8}((?:0x[\\da-f]{1,2}|\\d{1,3})(?:[ \\t]{0,12},\\s{0,40}(?:0x[\\da-f]{1,2}|\\d{1,3})){7,512})",
);

export const findAssignments: Finder = (text, add) => {
  nameBeginnings.lastIndex = 0;
  for (let match = nameBeginnings.exec(text); match; match = nameBeginnings.exec(text)) {
    const start = findNameStart(text, match.index);
    const end = findNameEnd(text, match.index + match[0].length);
    nameBeginnings.lastIndex = end;
    const kind = classifyInPlace(text, start, end);
    if (kind === undefined) continue;
    const span = readValue(text, { start, end, kind });
    if (!span) continue;
    add(span);
    nameBeginnings.lastIndex = Math.max(end, span.end);
  }
};

type Name = { readonly start: number; readonly end: number; readonly kind: NameKind };
type ValueRange = { readonly start: number; readonly end: number; readonly isQuoted: boolean };

function readValue(text: string, name: Name): Span | undefined {
  const strict = step(assigned, text, name.end);
  if (strict !== undefined) return readBytes(text, name, strict) ?? judge(text, name, skipTypes(text, strict), false);
  const path = step(pathed, text, name.end);
  if (path !== undefined) return judge(text, { ...name, kind: "maybe" }, path, false);
  const before = text[name.start - 1];
  if (before === "<") {
    const inside = step(tagged, text, name.end);
    if (inside !== undefined) return judge(text, name, inside, false);
  }
  for (const form of [listed, called, valued]) {
    const at = step(form, text, name.end);
    const place = at === undefined ? undefined : findValue(text, at);
    if (at !== undefined && (place?.isQuoted === true || form === called))
      return judge(
        text,
        name,
        at,
        (form === called && !(place?.isQuoted === true && text[name.end] === "(")) ||
          (form === listed && !isConstant(text, name)),
      );
  }
  const after = step(loose, text, name.end);
  if (after === undefined || text[after] === "-") return undefined;
  return judge(text, name, after, before !== "-" && !isSql(text, name, after));
}

/** `identified by '...'`, `alter role x password '...'`. */
const isSql = (text: string, { start, end }: Name, at: number): boolean =>
  /["']/.test(text[at] ?? "") &&
  (/^identified by|securestring$/i.test(text.slice(start, end)) ||
    /\b(?:user|role|login)\b/i.test(text.slice(Math.max(0, start - 80), start)));

/** `DB_PASSWORD=...` at the start of a line. */
const isEnvironment = (text: string, name: Name, at: number): boolean =>
  isConstant(text, name) &&
  at === name.end + 1 &&
  /(?:^|\n)(?:export[ \t])?$/.test(text.slice(Math.max(0, name.start - 8), name.start));

/** `define("PASSWORD", "...")` and `set(OPTION_PASSWORD, "...")`. */
const isConstant = (text: string, { start, end }: Name): boolean => /^[A-Z][A-Z0-9_]*$/.test(text.slice(start, end));

/** `secret = [12, 240, ...]`. */
function readBytes(text: string, name: Name, at: number): Span | undefined {
  if (name.kind === "maybe") return undefined;
  bytes.lastIndex = at;
  const match = bytes.exec(text);
  if (!match) return undefined;
  const end = at + match[0].length;
  return { start: end - (match[1]?.length ?? 0), end, kind: "bytes" };
}

/** `password: string = "..."` and `password string = "..."`. */
const skipTypes = (text: string, at: number): number => step(types, text, at) ?? at;

function judge(text: string, name: Name, at: number, isLoose: boolean): Span | undefined {
  const start = step(schemes, text, at) ?? at;
  const isPlain = isEnvironment(text, name, at);
  // The start of a long value decides; otherwise many names in a row would each read thousands of characters.
  bareHead.lastIndex = start;
  const head = bareHead.exec(text)?.[0] ?? "";
  const setting = { name: name.kind, isQuoted: isPlain, isField: isPlain, isLoose };
  if (head.length === judgedLength && !head.includes("&") && !isSecretValue(head, setting)) return undefined;
  const place = findValue(text, start);
  if (!place) return undefined;
  const value = text.slice(place.start, place.end);
  const isField = place.isQuoted ? text[name.start - 1] === '"' && text[name.end] === '"' : isPlain;
  const isBelieved = isSecretValue(value, { name: name.kind, isQuoted: place.isQuoted || isField, isField, isLoose });
  return isBelieved
    ? { start: place.start, end: place.end, kind: name.kind === "password" ? "password" : "token" }
    : undefined;
}

function findValue(text: string, at: number): ValueRange | undefined {
  opening.lastIndex = at;
  const open = opening.exec(text);
  if (open) return readQuoted(text, at + open[0].length, (open[1] ?? "") + (open[2] ?? ""));
  bare.lastIndex = at;
  const found = bare.exec(text)?.[0];
  if (found === undefined) return undefined;
  // A call, an index or a lookup is program code.
  const next = text[at + found.length];
  if ((next === "(" || next === "[") && /[\w$]$/.test(found)) return undefined;
  const cut = found.search(/&(?:amp;)?[\w.-]+=/);
  const value = trimEnd(cut < 0 ? found : found.slice(0, cut));
  return { start: at, end: at + value.length, isQuoted: false };
}

function readQuoted(text: string, start: number, quote: string): ValueRange | undefined {
  const window = text.slice(start, start + valueLimit + quote.length);
  let length = window.indexOf(quote);
  while (length > 0 && !quote.startsWith("\\") && window[length - 1] === "\\" && window[length - 2] !== "\\")
    length = window.indexOf(quote, length + 1);
  if (length < 0) return undefined;
  const end = start + length;
  const value = window.slice(0, length);
  const line = value.search(/[\r\n]/);
  if (line < 0) return { start, end, isQuoted: true };
  if (/^[\w+/=\s\\.-]+$/.test(value) && !/[\w] +[\w]/.test(value)) return { start, end, isQuoted: true };
  return { start, end: start + line, isQuoted: false };
}

function trimEnd(value: string): string {
  const entity = value.search(/&(?:quot|amp|gt|lt)/);
  if (entity >= 0) return value.slice(0, entity);
  return value.endsWith("**") ? value.slice(0, -2) : value.replace(/(?<![.:])[.:]+$/, "");
}

function step(form: RegExp, text: string, at: number): number | undefined {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : undefined;
}

const isNamePart = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;

function findNameStart(text: string, from: number): number {
  let at = from;
  while (at > 0 && from - at < nameLimit) {
    const code = text.charCodeAt(at - 1);
    const joins = (code === 45 || code === 46) && at > 1 && isNamePart(text.charCodeAt(at - 2));
    if (!isNamePart(code) && !joins) break;
    at -= 1;
  }
  return at;
}

function findNameEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && at - from < nameLimit) {
    const code = text.charCodeAt(at);
    const joins = (code === 45 || code === 46) && isNamePart(text.charCodeAt(at + 1));
    if (!isNamePart(code) && !joins) break;
    at += 1;
  }
  return at;
}

/** A one-word name includes the word before it: "API Key", "Client secret". */
function classifyInPlace(text: string, start: number, end: number): NameKind | undefined {
  const name = text.slice(start, end);
  if (/^identified by|securestring$/i.test(name)) return "password";
  const kind = classifyName(name);
  if (kind === "password" || (kind === undefined && !/^[a-z]+$/i.test(name))) return kind;
  const before = /[A-Za-z]{2,20}[ /]$/.exec(text.slice(Math.max(0, start - 24), start))?.[0];
  return before === undefined ? kind : (classifyName(`${before}${name}`) ?? kind);
}
