/**
 * The kind of value that the name of a field, variable, header or flag implies, in any spelling: `accessToken`,
 * `access_token`, `ACCESS-TOKEN`, `access token`. The last word decides, so `token_count`, `passwordless` and
 * `secretary` imply nothing.
 */
export type NameKind =
  /** Short and human-chosen values count as secrets too. */
  | "password"
  | "secret"
  /** The name is ambiguous: the value is redacted only if it is clearly random. */
  | "maybe";

const toSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const passwords = toSet(
  "password passwords passwd passwds pwd pwds pw pass passphrase passphrases passcode psw pswd passwrd pword userpwd " +
    "passwort kennwort wachtwoord contraseña contrasena senha motdepasse mdp haslo hasło пароль 密码 口令 パスワード " +
    "비밀번호 비번 암호 패스워드 paasword passowrd pasword passord parola heslo jelszo",
);
const secrets = toSet(
  "secret secrets sercret token apikey apikeys apitoken authtoken accesstoken secretkey accesskey privatekey privkey " +
    "sharedkey accountkey signingkey masterkey encryptionkey credential credentials cred creds authorization bearer " +
    "cookie cookies setcookie jwt mnemonic macaroon macaroons preimage xprv bolt11 connectionstring otp totp cvv cvc " +
    "토큰 jeton seedphrase recoveryphrase passkey clientsecret sessionid sessiontoken csrftoken wif nsec",
);
const maybes = toSet(
  "key keys auth authentication session sid signature sig salt nonce seed seeds pin cert pem login invoice " +
    "tokens sas hmac api pat webhook dsn psk iv imsi identity account access bot oauth",
);

/** Words before `key` that make it a secret. */
const keyOwners = toSet(
  "api access secret private priv encryption encrypt encoding signing sign master auth authentication account shared service admin " +
    "session hmac aes rsa client consumer app application deploy storage function webhook integration subscription " +
    "activation crypto jwt license server cipher symmetric write read project user customer developer management ingest",
);
/** These count anywhere in the name. */
const strongOwners = toSet("secret private api access encryption signing");
const harmlessKeys = toSet(
  "public pub primary foreign cache sort partition row object s3 hot short map dictionary group translation i18n react " +
    "natural composite unique index storage arrow enter escape tab shift control modifier dedupe idempotency",
);
const harmlessTokens = toSet(
  "page next previous prev continuation cursor sync resume eos bos pad unk sep cls mask stop special start end color colour " +
    "design theme max min total num number prompt completion input output cached reasoning context per estimated",
);
/** Words after the deciding word, which are ignored. */
const trailing = toSet(
  "value values string str text hex base64 b64 raw plain plaintext cleartext clear old new current default prod production " +
    "dev development test testing staging live confirm confirmation confirmed again repeat retype env var override header s any",
);
const endings =
  /(?:[a-z]pw|password|passwd|pwd|passphrase|passcode|passwort|kennwort|secret|token|apikey|secretkey|accesskey|privatekey|accountkey|credentials?|cookie|mnemonic|macaroon|preimage)$/;

const known = new Map<string, NameKind | undefined>();
const knownLimit = 5_000;

export function classifyName(name: string): NameKind | undefined {
  const cached = known.get(name);
  if (cached !== undefined || known.has(name)) return cached;
  const kind = name.length > 100 ? undefined : classify(splitName(name));
  if (known.size >= knownLimit) known.clear();
  known.set(name, kind);
  return kind;
}

export const splitName = (name: string): readonly string[] =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

function classify(all: readonly string[]): NameKind | undefined {
  let end = all.length;
  while (end > 1 && (trailing.has(all[end - 1] ?? "") || /^\d+$/.test(all[end - 1] ?? ""))) end -= 1;
  const last = (all[end - 1] ?? "").replace(/(?<=\p{L}{2})\d{1,2}$/u, "");
  const before = all[end - 2] ?? "";
  const joined = before + last;
  if (passwords.has(last) || passwords.has(joined) || isSpelled(all, end, "p w")) return "password";
  if (last === "token" || last === "tokens")
    return harmlessTokens.has(before) ? undefined : secrets.has(last) ? "secret" : "maybe";
  if (last === "key" || last === "keys") {
    if (harmlessKeys.has(before)) return undefined;
    return keyOwners.has(before) || all.slice(0, end - 1).some((word) => strongOwners.has(word)) ? "secret" : "maybe";
  }
  if (last === "phrase" && /^(?:seed|recovery|backup|secret|mnemonic|wallet)$/.test(before)) return "password";
  if (secrets.has(last) || secrets.has(joined)) return "secret";
  if (endings.test(last)) return /(?:word|wd|pw|wort|phrase|code)$/.test(last) ? "password" : "secret";
  return maybes.has(last) ? "maybe" : undefined;
}

const isSpelled = (all: readonly string[], end: number, words: string): boolean =>
  all.slice(Math.max(0, end - 2), end).join(" ") === words;
