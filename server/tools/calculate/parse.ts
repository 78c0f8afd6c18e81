import { CalculateError, parseDecimal, type Num } from "./number.ts";
import { tokenize, type Token } from "./tokens.ts";

export type Binary = "+" | "-" | "*" | "/" | "%" | "^";

export type Expression =
  | { readonly kind: "number"; readonly text: string; readonly value: Num }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "call"; readonly name: string; readonly given: readonly Expression[] }
  | { readonly kind: "group" | "negative" | "percent"; readonly of: Expression }
  | { readonly kind: "binary"; readonly sign: Binary; readonly left: Expression; readonly right: Expression };

/** Operator precedence. Powers are right-associative and bind tighter than a leading minus. */
export const precedence = { "+": 10, "-": 10, "*": 20, "/": 20, "%": 20, negative: 30, "^": 40 } as const;

const MAX_DEPTH = 100;

/** A Pratt parser with a depth limit. */
export function parse(text: string): Expression {
  const tokens = tokenize(text);
  let position = 0;
  let depth = 0;
  const peek = (): Token => tokens[position] ?? (tokens.at(-1) as Token);
  const take = (): Token => {
    const token = peek();
    position += 1;
    return token;
  };
  const isSign = (sign: string): boolean => peek().kind === "sign" && peek().text === sign;
  const expect = (sign: string): void => {
    if (!isSign(sign)) throw new CalculateError(`Expected "${sign}" instead of ${show(peek())}.`);
    take();
  };

  const readExpression = (least: number): Expression => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new CalculateError(`The expression is nested more than ${MAX_DEPTH} deep.`);
    let left = readOperand();
    for (;;) {
      if (isPercent()) {
        take();
        left = { kind: "percent", of: left };
        continue;
      }
      const sign = toBinary(peek(), left);
      if (sign === undefined || precedence[sign] < least) break;
      take();
      const right = readExpression(sign === "^" ? precedence.negative : precedence[sign] + 1);
      left = { kind: "binary", sign, left, right };
    }
    depth -= 1;
    return left;
  };

  const readOperand = (): Expression => {
    const token = take();
    if (token.kind === "number") return { kind: "number", text: token.text, value: parseDecimal(token.text) };
    if (token.kind === "name") return readName(token.text.toLowerCase());
    if (token.kind === "sign" && token.text === "-")
      return { kind: "negative", of: readExpression(precedence.negative) };
    if (token.kind === "sign" && token.text === "+") return readExpression(precedence.negative);
    if (token.kind === "sign" && token.text === "(") {
      const of = readExpression(0);
      expect(")");
      return { kind: "group", of };
    }
    throw new CalculateError(`A number is missing before ${show(token)}.`);
  };

  const readName = (name: string): Expression => {
    if (!isSign("(")) return { kind: "name", name };
    take();
    if (isSign(")")) throw new CalculateError(`${name}() needs at least one argument.`);
    const given = [readExpression(0)];
    while (isSign(",")) {
      take();
      given.push(readExpression(0));
    }
    expect(")");
    return { kind: "call", name, given };
  };

  /** `%` before an operand is a remainder, otherwise a percentage. */
  const isPercent = (): boolean => {
    if (!isSign("%")) return false;
    const next = tokens[position + 1];
    const isOperand = next?.kind === "number" || next?.text === "(" || (next?.kind === "name" && !isOf(next));
    return !isOperand;
  };

  const expression = readExpression(0);
  const rest = peek();
  if (rest.kind === "end") return expression;
  if (rest.text === ",") throw new CalculateError("A comma may only separate function arguments.");
  if (rest.text === ")") throw new CalculateError('There is an extra ")".');
  throw new CalculateError(`An operator is missing before ${show(rest)}. To multiply, write *.`);
}

const isOf = ({ kind, text }: Token): boolean => kind === "name" && text.toLowerCase() === "of";

function toBinary(token: Token, left: Expression): Binary | undefined {
  if (isOf(token) && left.kind === "percent") return "*";
  return token.kind === "sign" && token.text in precedence ? (token.text as Binary) : undefined;
}

const show = ({ kind, text, at }: Token): string => (kind === "end" ? text : `"${text}" at ${at + 1}`);
