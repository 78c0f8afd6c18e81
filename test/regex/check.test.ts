import { describe, expect, test } from "vitest";
import { judge } from "./ambiguity.ts";

/** Expressions of 0.1.0 that blocked or slowed down the server, and other known ones. */
const vulnerable: readonly [kind: "exponential" | "polynomial", RegExp][] = [
  ["exponential", /^[-@#.!&*]*[A-Za-z_$][A-Za-z_$]*\d?(?:(?:\??\.|->|::|[-_/:])[A-Za-z_$][A-Za-z_$]*\d?)*[?!:;.]*$/],
  ["exponential", /^[\w+/=.-]{8,}(?:\\?\s*\n\s*[\w+/=.-]+)+\s*$/],
  ["exponential", /(?:[\s,]+(?:please|thanks)|好吗|\s*[?？!！.。…"”]+)+$/iu],
  ["exponential", /^(?:\s|<!--[\s\S]*?-->)*<!doctype[^>]*>/i],
  ["exponential", /^(?:(?:\d+(?:[.,]\d+)*%?|pi|[-+*/])\s*)+$/iu],
  ["exponential", /^(a+)+$/],
  ["exponential", /^(?:a|a)*b/],
  ["exponential", /^(?:a{1,40}){1,40}$/],
  ["exponential", /(?:x{1,20}\s?)*y/],
  ["polynomial", /^\s*([\w-]+)\s*(?::|\s)\s*(.*?)\s*$/],
  ["polynomial", /[.!?…]+["'”’»)\]]*(?=\s)|[。！？]+[」』”）]*|\n+/gu],
  ["polynomial", /#.*$/],
  ["polynomial", /\s+$/],
  ["polynomial", /^(.+?)\s+to\s+(.+)\s+now$/],
  ["polynomial", /<!--[^]*?-->/g],
  ["polynomial", /(?=\w*\d)x/],
  ["polynomial", /(?:a+b)?/g],
];

const linear: readonly RegExp[] = [
  /^[-@#.!&*]*[A-Za-z_$]+\d?(?:(?:\??\.|->|::?|[-/]|(?<=\d)_)[A-Za-z_$]+\d?)*[?!:;.]*$/,
  /^[\w+/=.-]{8,}(?:\\?[^\S\n]*\n\s*[\w+/=.-]+)+\s*$/,
  /(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s)|\n+/gu,
  /(?<!\s)\s+$/,
  /\b\w+\b@/,
  /\d+(?:[.,]\d+)*/g,
  /^(\d)\1+$/,
  /[a-z]+/g,
  /^([^/]*)\/?(.*)$/s,
  /```[^]*?(?:```|$)/g,
];

/** `npm run check` applies it to the product. */
describe("the regular expression checker", () => {
  test.each(vulnerable)("finds %s time in %s", (kind, { source, flags }) => {
    expect(judge(source, flags)?.kind).toBe(kind);
  });

  test.each(linear)("accepts %s", ({ source, flags }) => {
    expect(judge(source, flags)).toBeUndefined();
  });
});
