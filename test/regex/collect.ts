import { readFileSync } from "node:fs";
import { parseSync } from "vite";

/** A regular expression in the source, with its location. */
export type RegexLiteral = { readonly place: string; readonly source: string; readonly flags: string };

/** `new RegExp(...)` at this location: its source is only known at run time. */
export type ConstructedExpression = { readonly path: string; readonly line: number };

type Syntax = { readonly type?: unknown; readonly start?: unknown; readonly [key: string]: unknown };

/** All regular expression literals in a file, and all calls that construct one. */
export function collect(path: string): {
  readonly literals: readonly RegexLiteral[];
  readonly constructed: readonly ConstructedExpression[];
} {
  const text = readFileSync(path, "utf8");
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} could not be parsed: ${errors[0]?.message ?? ""}`);
  const literals: RegexLiteral[] = [];
  const constructed: ConstructedExpression[] = [];
  const lineOf = (at: number): number => text.slice(0, at).split("\n").length;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const node = value as Syntax;
    const start = typeof node.start === "number" ? node.start : 0;
    if (node.type === "Literal" && isRegex(node["regex"]))
      literals.push({ place: `${path}:${lineOf(start)}`, source: node["regex"].pattern, flags: node["regex"].flags });
    if ((node.type === "NewExpression" || node.type === "CallExpression") && isNamed(node["callee"]))
      constructed.push({ path, line: lineOf(start) });
    for (const [key, child] of Object.entries(node)) if (key !== "parent") visit(child);
  };
  visit(program);
  return { literals, constructed };
}

const isRegex = (value: unknown): value is { readonly pattern: string; readonly flags: string } =>
  typeof value === "object" && value !== null && "pattern" in value && "flags" in value;

const isNamed = (callee: unknown): boolean =>
  typeof callee === "object" && callee !== null && "name" in callee && callee.name === "RegExp";
