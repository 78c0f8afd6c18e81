import { CalculateError } from "./number.ts";

export type Token = {
  readonly kind: "number" | "name" | "sign" | "end";
  readonly text: string;
  /** Its index in the text. */
  readonly at: number;
};

const numberForm = /(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy;
const nameForm = /[\p{L}_][\p{L}\p{N}_]*/uy;
const signs: Readonly<Record<string, string>> = {
  ...Object.fromEntries([..."+-*/%^(),"].map((sign) => [sign, sign])),
  "×": "*",
  "·": "*",
  "÷": "/",
  "−": "-",
};
const grouped = /^(?:[,'’_\u00a0\u202f ]\d{3})+(?!\d)|^\.\d{3}(?!\d)/u;

/** Splits an expression into tokens. Rejects thousands separators: 1,234 is ambiguous between locales. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = /\S/g;
    rest.lastIndex = at;
    const next = rest.exec(text);
    if (!next) break;
    at = next.index;
    const token = readToken(text, at);
    tokens.push(
      token.kind === "sign" ? { ...token, text: token.text === "**" ? "^" : (signs[token.text] ?? "") } : token,
    );
    at += token.text.length;
    if (token.kind === "number") checkNumber(text, token);
  }
  return [...tokens, { kind: "end", text: "the end", at: text.length }];
}

function readToken(text: string, at: number): Token {
  const digits = match(numberForm, text, at);
  if (digits !== undefined) return { kind: "number", text: digits, at };
  const name = match(nameForm, text, at);
  if (name !== undefined) return { kind: "name", text: name, at };
  if (text.startsWith("**", at)) return { kind: "sign", text: "**", at };
  const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (Object.hasOwn(signs, sign)) return { kind: "sign", text: sign, at };
  throw new CalculateError(`"${sign}" at ${at + 1} is not allowed. Write one plain arithmetic expression.`);
}

function match(form: RegExp, text: string, at: number): string | undefined {
  form.lastIndex = at;
  return form.exec(text)?.[0];
}

function checkNumber(text: string, { text: digits, at }: Token): void {
  const next = text.slice(at + digits.length, at + digits.length + 40);
  const group = grouped.exec(next)?.[0];
  if (group !== undefined && /^\d+(?:\.\d{3})?$/.test(digits)) {
    const plain = `${digits}${group}`.replace(/\D/g, "");
    const two = group.startsWith(",") ? " To separate two function arguments, write a space after the comma." : "";
    throw new CalculateError(
      `${digits}${group} has a thousands separator. Write ${plain}, and use a point for decimals.${two}`,
    );
  }
  if (/^[\p{L}_]/u.test(next)) {
    const name = match(nameForm, text, at + digits.length) ?? "";
    throw new CalculateError(
      `${digits}${name} at ${at + 1} is missing an operator. To multiply, write ${digits}*${name}.`,
    );
  }
}
