import { scrypt, timingSafeEqual } from "node:crypto";
import { ApiError } from "../../protocol/errors.ts";
import { passwordLimits } from "../../protocol/roles.ts";
import { randomKey } from "../lib/random.ts";

/** Work factors of scrypt. `ln` is the binary logarithm of N. */
export type PasswordCost = { readonly ln: number; readonly r: number; readonly p: number };

/** 128 MB and about 0.4 s for one password. */
const USUAL_COST: PasswordCost = { ln: 17, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MAX_RUNNING = 2;
/** Maximum queued requests, per network and in total. */
const MAX_WAITING_OF_NETWORK = 8;
const MAX_WAITING = 64;

/** Where a request comes from. Those from a network that has signed in to the account before go first. */
export type Requester = { readonly network: string; readonly isKnown: boolean };

/**
 * Hashes passwords with scrypt, a few at once. A network with many requests cannot fill the queue for the others, and strangers
 * from many networks cannot fill it for known networks.
 */
export type Passwords = {
  readonly hash: (password: string, from: Requester) => Promise<string>;
  /** `stored` undefined: does the same work and returns false. */
  readonly verify: (password: string, stored: string | undefined, from: Requester) => Promise<boolean>;
};

/** The hash of a new password. `address`: where the request comes from. */
export type HashPassword = (password: string, address: string) => Promise<string>;

export function createPasswords(cost: PasswordCost = USUAL_COST): Passwords {
  const inTurn = createTurns();
  const dummy = toStored(cost, createBytes(SALT_BYTES), createBytes(HASH_BYTES));
  return {
    hash: async (password, from) => {
      const salt = createBytes(SALT_BYTES);
      return toStored(cost, salt, await inTurn(from, () => derive(password, salt, cost)));
    },
    verify: async (password, stored, from) => {
      const { salt, hash, ...params } = parse(stored ?? dummy);
      const derived = await inTurn(from, () => derive(password, salt, params));
      return timingSafeEqual(derived, hash) && stored !== undefined;
    },
  };
}

const createBytes = (count: number): Buffer => Buffer.from(randomKey(count), "base64url");

const derive = (password: string, salt: Buffer, { ln, r, p }: PasswordCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r };
    scrypt(password.normalize("NFKC"), salt, HASH_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

const toStored = ({ ln, r, p }: PasswordCost, salt: Buffer, hash: Buffer): string =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString("base64url")}$${hash.toString("base64url")}`;

function parse(stored: string): PasswordCost & { readonly salt: Buffer; readonly hash: Buffer } {
  const found = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]+)$/.exec(stored);
  const [, ln, r, p, salt = "", hash = ""] = found ?? [];
  if (!found) throw new Error("A stored password hash has an unknown form.");
  const bytes = { salt: Buffer.from(salt, "base64url"), hash: Buffer.from(hash, "base64url") };
  return { ln: Number(ln), r: Number(r), p: Number(p), ...bytes };
}

type Waiting = Requester & { readonly begin: () => void; readonly refuse: (error: ApiError) => void };

const toBusy = (): ApiError =>
  new ApiError("busy", "Too many sign-ins at once. Try again in a few seconds.", undefined, 5);

function createTurns() {
  let running = 0;
  const waiting: Waiting[] = [];

  const next = (): void => {
    const known = waiting.findIndex(({ isKnown }) => isKnown);
    const [first] = waiting.splice(Math.max(known, 0), 1);
    if (!first) return;
    running += 1;
    first.begin();
  };

  const wait = (from: Requester): Promise<void> => {
    // Counted apart: a stranger in the network of a known user does not take that user's places.
    const alike = waiting.filter(({ network, isKnown }) => network === from.network && isKnown === from.isKnown);
    if (alike.length >= MAX_WAITING_OF_NETWORK) throw toBusy();
    if (waiting.length >= MAX_WAITING) {
      const displaced = from.isKnown ? waiting.findLastIndex(({ isKnown }) => !isKnown) : -1;
      if (displaced === -1) throw toBusy();
      waiting.splice(displaced, 1)[0]?.refuse(toBusy());
    }
    return new Promise((resolve, reject) => waiting.push({ ...from, begin: resolve, refuse: reject }));
  };

  return async <T>(from: Requester, work: () => Promise<T>): Promise<T> => {
    if (running < MAX_RUNNING) running += 1;
    else await wait(from);
    try {
      return await work();
    } finally {
      running -= 1;
      next();
    }
  };
}

/** Throws unless the password may be used for this account. */
export function assertGoodPassword(password: string, { name, email }: { name: string; email: string }): void {
  const { minCharacters, maxCharacters } = passwordLimits;
  const text = password.normalize("NFKC");
  const length = [...text].length;
  if (length < minCharacters) {
    throw new ApiError("invalid", `The password is too short. Use at least ${minCharacters} characters.`);
  }
  if (length > maxCharacters) {
    throw new ApiError("invalid", `The password is too long. Use at most ${maxCharacters} characters.`);
  }
  const lower = text.toLowerCase();
  const own = [name, email, email.split("@")[0] ?? ""].map((word) => word.normalize("NFKC").toLowerCase());
  if (own.includes(lower)) {
    throw new ApiError("invalid", "The password is your name or email address. Choose another one.");
  }
  if (isCommon(lower)) {
    throw new ApiError("invalid", "This password is one of the most common ones. Choose another one.");
  }
}

/** Few different characters, a run such as `abcdefghij`, or a listed password. */
function isCommon(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  const steps = new Set(codes.slice(1).map((code, index) => code - (codes[index] ?? 0)));
  return new Set(codes).size <= 2 || steps.size === 1 || common.has(text);
}

/** The most common passwords of ten characters or more in published lists. */
const common = new Set(
  (
    "1234567890 0123456789 0987654321 1234567891 12345678910 123456789a a123456789 123456789q 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx3edc " +
    "qwertyuiop qwerty12345 qwerty123456 qwertyuiop123 1234qwerasdf qazwsxedcrfv zaq12wsxcde asdfghjkl1 asdfghjkl123 zxcvbnm123 " +
    "password12 password123 password1234 password12345 passw0rd123 p@ssw0rd123 p@ssword123 mypassword mypassword1 newpassword " +
    "changeme12 changeme123 changemenow administrator admin12345 admin123456 adminadmin administrator1 letmein123 letmein1234 " +
    "welcome123 welcome1234 welcome12345 iloveyou12 iloveyou123 iloveyou1234 princess123 sunshine123 football123 baseball123 " +
    "basketball michael123 superman123 batman1234 trustno123 dragon1234 monkey1234 shadow1234 master1234 jordan2323 liverpool1 " +
    "liverpool123 manchester chelsea123 arsenal123 barcelona1 realmadrid juventus123 internet123 computer123 whatever123 " +
    "starwars123 pokemon123 minecraft1 minecraft123 fuckyou123 lovelove123 abcdefghij abcd123456 abc1234567 abcdef1234 aa12345678 " +
    "11111111112 1122334455 112233445566 1212121212 1231231231 1234512345 1357924680 147258369a 741852963a 7894561230 9876543210 " +
    "987654321a qwe123qwe123 asd123asd123 test123456 testtest123 hello12345 helloworld helloworld1 secret1234 stonechat1 " +
    "stonechat12 stonechat123 stonechatstonechat correcthorsebatterystaple"
  ).split(" "),
);
