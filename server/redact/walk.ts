import { selectDistinctive } from "./find/find-secrets.ts";
import { isBlank, isSecretValue } from "./find/judge.ts";
import { createValueFinder } from "./known.ts";
import { classifyName, splitName, type NameKind } from "./names.ts";
import { placeholderPattern } from "./placeholder.ts";
import type { Finding, RedactedValue } from "./finding.ts";
import { redactText, replaceSpans, type RedactOptions } from "./replace.ts";

/** Redacts by field names and, in every string, by content. Iterative, so that depth is not a problem. */
/** A linked list, so that a deep value costs no more than a flat one. */
type Path = { readonly before: Path; readonly key: string | number } | undefined;
/** The kind implied by a field name, and whether it is the name of the field or of an enclosing one. */
type Expectation = { readonly kind: NameKind; readonly isOwn: boolean; readonly name: string } | undefined;
type Container = unknown[] | Record<string, unknown>;
type Task = {
  readonly source: object;
  readonly target: Container;
  readonly path: Path;
  readonly expected: Expectation;
};

export function redactValue(input: unknown, tools: RedactOptions): RedactedValue<unknown> {
  const first = walkOnce(input, tools);
  const spread = selectDistinctive(first.found.map(({ secret, kind }) => ({ text: secret, kind })));
  if (spread.length === 0) return first;
  return walkOnce(input, { ...tools, more: [...tools.more, createValueFinder(spread)] });
}

function walkOnce(input: unknown, tools: RedactOptions): RedactedValue<unknown> {
  const found: Finding[] = [];
  const tasks: Task[] = [];
  /** Copies by expected kind, to handle cycles. */
  const copies = new Map<string, Map<object, Container>>();
  const note = (all: readonly Finding[], path: Path): void => {
    for (const one of all) found.push({ ...one, where: { path: toKeys(path), offset: one.where.offset } });
  };

  const copy = (value: unknown, path: Path, expected: Expectation): unknown => {
    const plain = toPlain(value);
    if (typeof plain === "string" || typeof plain === "number" || typeof plain === "bigint") {
      const redacted = redactLeaf(plain, expected, tools);
      note(redacted.found, path);
      return redacted.value;
    }
    if (typeof plain !== "object" || plain === null) return plain;
    const label = expected ? `${expected.kind} ${expected.isOwn}` : "";
    const same = copies.get(label) ?? new Map<object, Container>();
    const known = same.get(plain);
    if (known) return known;
    const target: Container = Array.isArray(plain) ? [] : {};
    copies.set(label, same.set(plain, target));
    tasks.push({ source: plain, target, path, expected });
    return target;
  };

  const result = copy(input, undefined, undefined);
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    const { source, target, path, expected } = task;
    if (Array.isArray(target)) {
      for (const [at, item] of (source as readonly unknown[]).entries())
        target.push(copy(item, { before: path, key: at }, expected));
      continue;
    }
    for (const [key, item] of Object.entries(source)) {
      const name = redactText(key, tools);
      note(name.found, path);
      const value = copy(item, { before: path, key: name.value }, expectOf(key, expected));
      // Plain assignment would set the prototype for the key `__proto__`.
      Object.defineProperty(target, name.value, { value, enumerable: true, writable: true, configurable: true });
    }
  }
  return { value: result, found };
}

function toKeys(path: Path): readonly (string | number)[] {
  const keys: (string | number)[] = [];
  for (let step = path; step; step = step.before) keys.push(step.key);
  return keys.toReversed();
}

function expectOf(key: string, around: Expectation): Expectation {
  const kind = classifyName(key);
  if (kind !== undefined) return { kind, isOwn: true, name: key };
  if (around === undefined || around.kind === "maybe" || describing.has(splitName(key).at(-1) ?? "")) return undefined;
  return { ...around, isOwn: false };
}

/** Fields that describe a secret and are not secret themselves. */
const describing = new Set(
  (
    "type id name user username email host port url uri issuer subject expires expiry expiration created updated at in on scope " +
    "scopes algorithm alg description label count length title provider region kind status version path domain"
  ).split(" "),
);

function redactLeaf(
  value: string | number | bigint,
  expected: Expectation,
  tools: RedactOptions,
): RedactedValue<unknown> {
  const text = String(value);
  if (typeof value !== "string") {
    const isSecret = expected?.isOwn === true && (expected.kind === "password" || numeric.test(expected.name));
    return isSecret ? replaceWhole(text, expected.kind, tools) : { value, found: [] };
  }
  if (expected && isSecretField(text, expected)) {
    const spans = [...text.matchAll(placeholderPattern)];
    if (spans.length === 0) return replaceWhole(text, expected.kind === "password" ? "password" : "token", tools);
  }
  return redactText(text, tools);
}

const replaceWhole = (text: string, kind: string, { toPlaceholder }: RedactOptions): RedactedValue<string> =>
  replaceSpans(text, [{ start: 0, end: text.length, kind }], toPlaceholder);

const numeric = /(?:^|[^a-z])(?:pin|otp|totp|cvv|cvc)2?$/i;
/** Names whose value is a secret even if it consists of words. */
const wordy = /authorization|cookie|mnemonic|phrase|credential|macaroon|preimage|private.?key/i;
/** Ambiguous names: as fields they need less evidence than in a text. */
const short = /^(?:auth|authentication|pin|pat|session|sid|seeds?|invoice|bolt11)$/i;

function isSecretField(text: string, { kind, isOwn, name }: NonNullable<Expectation>): boolean {
  if (isBlank(text)) return false;
  if (!isOwn) return isSecretValue(text, { name: kind, isQuoted: true, isLoose: false });
  if (kind === "password") return true;
  const words = text.trim().split(/\s+/).length;
  if (kind === "secret") return words <= 3 || wordy.test(name);
  if (short.test(name))
    return words >= 12 ? /^seeds?$/i.test(name) : words === 1 && text.length >= (/^(?:pin)$/i.test(name) ? 4 : 16);
  return isSecretValue(text, { name: kind, isQuoted: true, isLoose: false });
}

function toPlain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return toJSON.call(value);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), item]));
  return value instanceof Set ? [...value] : value;
}
