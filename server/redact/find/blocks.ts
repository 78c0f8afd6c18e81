import { isSecretValue } from "./judge.ts";
import type { Finder } from "./span.ts";

/** Secrets of more than one word or line: private keys, recovery phrases, and secrets in command lines and URLs. */
const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:/y;
const keyLimit = 32_000;
/** How a private key starts without its armor: RSA, PKCS#8, EC, Ed25519, OpenSSH. */
const naked =
  /(?:MII[A-Za-z0-9+/]{1,6}IBA[AD]|MHcCAQEE|MI[GH][A-Za-z0-9+/]{1,3}AgEAM|MC4CAQAwBQYDK2Vw|b3BlbnNzaC1rZXkt)[A-Za-z0-9+/]{24,}/g;
const keyLines =
  /(?:(?:\s|\\[nr]|["'+\\]){1,40}[A-Za-z0-9+/]{16,}={0,2}){0,200}(?:(?:\s|\\[nr]|["'+\\]){1,40}[A-Za-z0-9+/]{1,76}={1,2})?/y;
const bodyLine =
  /[\t "'+*#/\\]{0,20}(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z-]+: [^\n]{0,80})?(?:\\[nr]|["'+,\\; \t]){0,12}(?:\r?\n|$)/y;

export const findPrivateKeys: Finder = (text, add) => {
  for (const mark of ["-----BEGIN ", "PuTTY-User-Key"]) {
    for (let at = text.indexOf(mark); at >= 0;) {
      begin.lastIndex = at;
      const header = begin.exec(text)?.[0];
      const end = header === undefined ? undefined : findKeyEnd(text, at + header.length);
      if (end !== undefined) add({ start: at, end, kind: "private-key" });
      at = text.indexOf(mark, Math.max(end ?? 0, at + mark.length));
    }
  }
  for (const match of text.matchAll(naked)) {
    keyLines.lastIndex = match.index + match[0].length;
    const more = keyLines.exec(text)?.[0].length ?? 0;
    add({ start: match.index, end: match.index + match[0].length + more, kind: "private-key" });
  }
};

function findKeyEnd(text: string, from: number): number | undefined {
  const window = text.slice(from, from + keyLimit);
  const other = window.indexOf("-----BEGIN ");
  const close = /-----END [A-Z0-9 ]{0,40}-----|Private-MAC: [0-9a-f]+/.exec(
    other < 0 ? window : window.slice(0, other),
  );
  if (close) return close.index < 40 ? undefined : from + close.index + close[0].length;
  // Truncated: as far as it looks like a key.
  let end = from + (/^[ \t]*(?:\\[nr]|["'+\\]){0,8}[ \t]*\r?\n?/.exec(window)?.[0].length ?? 0);
  const start = end;
  for (;;) {
    bodyLine.lastIndex = end;
    const line = bodyLine.exec(text)?.[0];
    if (line === undefined || line === "" || end - from > keyLimit) break;
    end += line.length;
  }
  return end - start < 40 ? undefined : end;
}

const phrases =
  /\b(?:mnemonic|seed|recovery|backup|wallet)\b[\w ]{0,24}["']?[ \t]{0,4}(?:is|[:=])?[\s"']{0,8}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b/dgi;
/** Words that do not occur in recovery phrases. */
const prose =
  /\b(?:the|and|for|are|was|has|had|not|but|can|its|his|her|our|their|from|your|they|which|will|were|been|have)\b/i;

export const findPhrases: Finder = (text, add) => {
  for (const match of text.matchAll(phrases)) {
    const [start = 0, end = 0] = match.indices?.[1] ?? [];
    if (!prose.test(match[1] ?? "")) add({ start, end, kind: "phrase" });
  }
};

const userinfo = /([^\s:/?#"'<>@]{0,100}):([^\s"'<>/?#]{1,200})@(?=[\w.[$-])/y;

/** `scheme://user:password@host`. */
export const findAddresses: Finder = (text, add) => {
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    userinfo.lastIndex = at + 3;
    const match = userinfo.exec(text);
    if (!match) continue;
    const [whole, user = "", password = ""] = match;
    const start = at + 3 + user.length + 1;
    const isSample =
      /^(?:pass(?:word|wd)?|pwd|pw|secret|token|p|\d{2,5})$/i.test(password) ||
      /^[$%{<[(*]|\$\{|\*\*|\ufffc/.test(password);
    if (!isSample) add({ start, end: at + 3 + whole.length - 1, kind: "password" });
  }
};

const commands: readonly { readonly mark: string; readonly form: RegExp }[] = [
  {
    mark: "curl",
    form: /\bcurl\b[^\n]{0,300}?[ \t](?:-u|--user|--proxy-user)[ =]?["']?[\w.@\\-]{0,60}:([^\s"']{3,200})/dg,
  },
  {
    mark: " -p",
    form: /\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,120}?[ \t]-p([^\s"'-][^\s"']{2,100})/dg,
  },
  { mark: " -", form: /\b(?:sshpass|redis-cli|smbclient)\b[^\n]{0,80}?[ \t]-[pa][ \t]?["']?([^\s"']{3,100})/dg },
  { mark: "machine", form: /\bmachine[ \t]+\S{1,100}[ \t]+login[ \t]+\S{1,100}[ \t]+password[ \t]+(\S{3,200})/dg },
  { mark: "_auth", form: /_(?:auth|authToken)[ \t]{0,3}=[ \t]{0,3}["']?([^\s"']{8,200})/dg },
  { mark: "ookie", form: /\bcookie2?"?:[ \t]*"?((?:[\w.-]{1,60}=[^;\s"]{6,4096}(?:;[ \t]?)?){1,40})/dgi },
];

export const findCommands: Finder = (text, add) => {
  for (const { mark, form } of commands) {
    if (!text.includes(mark)) continue;
    for (const match of text.matchAll(form)) {
      const [start = 0, end = 0] = match.indices?.[1] ?? [];
      const isBelieved = isSecretValue(match[1] ?? "", { name: "password", isQuoted: true, isLoose: false });
      if (isBelieved || mark === "ookie") add({ start, end, kind: "password" });
    }
  }
};

const webKey = /"(?:d|p|q|dp|dq|qi|k)"[ \t]{0,4}:[ \t]{0,4}"([\w-]{16,2000})"/dg;

/** The private parameters (`d`, `p`, `q`, ...) of a JSON Web Key. */
export const findWebKeys: Finder = (text, add) => {
  if (!text.includes('"kty"')) return;
  for (const match of text.matchAll(webKey)) {
    const [start = 0, end = 0] = match.indices?.[1] ?? [];
    add({ start, end, kind: "private-key" });
  }
};
