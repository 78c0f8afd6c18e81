/**
 * A provider's documented rule about the request body. `find` names violations; `spoil` makes a good body break exactly
 * this rule, to prove that the rule is checked.
 */
export type Rule = {
  readonly name: string;
  readonly find: (body: Json) => string | undefined;
  readonly spoil: (body: Json) => void;
};

/** Unvalidated JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- bodies of five providers, looked at field by field
export type Json = any;

export const listFaults = (rules: readonly Rule[], body: Json): readonly string[] =>
  rules.flatMap((rule) => {
    const fault = rule.find(body);
    return fault === undefined ? [] : [`${rule.name}: ${fault}`];
  });

export const isBlank = (text: unknown): boolean => typeof text !== "string" || text.trim() === "";

export const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isObjectText = (text: unknown): boolean => {
  try {
    return typeof text === "string" && isObject(JSON.parse(text));
  } catch {
    return false;
  }
};

export const findTwice = (values: readonly string[]): string | undefined =>
  values.find((value, at) => values.indexOf(value) !== at);

/** Every string of a body, including keys. */
export function* listStrings(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    yield key;
    yield* listStrings(item);
  }
}

/** Rules for any JSON reader: well-formed text and a limited size. */
export const wellFormed: Rule = {
  name: "text is well-formed",
  find: (body) => [...listStrings(body)].find((text) => !text.isWellFormed() || text.includes("\u0000")),
  spoil: (body) => void (body.model = "a\ud83e"),
};

export const withinSize: Rule = {
  name: "the body has at most 20 MB",
  find: (body) => (JSON.stringify(body).length > 20_000_000 ? "too large" : undefined),
  spoil: (body) => void (body.padding = "x".repeat(20_000_001)),
};

/** An image as data, in a format that every provider accepts. */
export const isPicture = (url: unknown): boolean =>
  typeof url === "string" && /^data:image\/(png|jpeg|webp|gif);base64,[\w+/]+=*$/.test(url);
