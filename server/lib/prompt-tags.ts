/** The tags of prompt blocks. */
const MARKS = /<(?=\/?(?:context|recall|update|now|project-digest|project-instructions|workspace-digest)\b)/gi;
/** Characters that could start a tag or end a line. */
const LOOSE = /[<\u0085\u2028\u2029]/g;

/** Escapes prompt tags in quoted text, so that it cannot close its block. */
export const escapePromptTags = (text: string): string => text.replaceAll(MARKS, "&lt;");

/** JSON on one line without any `<`, equivalent to `JSON.stringify`. */
export const quoteJson = (value: unknown): string => JSON.stringify(value).replaceAll(LOOSE, toEscape);

/** Like `quoteJson`, for a string. The result cannot break out of its line or its enclosing tag. */
export const quoteValue = (text: string): string => quoteJson(text.toWellFormed());

const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
