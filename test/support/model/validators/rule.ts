/**
 * A provider's documented rule about a request's body. `find` names what breaks it; `spoil` breaks exactly it in a good body, to
 * show that the rule is looked at.
 */
export type Rule = {
  readonly name: string;
  readonly find: (body: Json) => string | undefined;
  readonly spoil: (body: Json) => void;
};

/** Parsed JSON as it comes, read with care. */
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

/** Every string of a body, its keys among them. */
export function* listStrings(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    yield key;
    yield* listStrings(item);
  }
}

/** What holds for whoever reads JSON: whole characters, and not too much of it. */
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

/** A picture as data, in a form that every provider takes. */
export const isPicture = (url: unknown): boolean =>
  typeof url === "string" && /^data:image\/(png|jpeg|webp|gif);base64,[\w+/]+=*$/.test(url);
