import { replaceFences } from "../../lib/code-spans.ts";

/** The sentences of a text as they stand in it. Where two cannot be told apart they stay together. */
export const toSentences = (text: string): readonly string[] =>
  text
    .split(
      /(?<=(?<!(?:^|\s)(?:\d{1,2}|\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St|No|vs|ca|bzw|e\.g|i\.e))[.!?…]["”’»)]?)\s+|(?<=[。！？]」?)|\n+/u,
    )
    .map((sentence) => sentence.replace(/^>\s?/, "").trim())
    .filter((sentence) => sentence !== "");

/** The prose of a page: without code, tables, pictures and marks; links by their words, footnote numbers as breaks. */
export const toProse = (markdown: string): string =>
  replaceFences(markdown, () => "")
    .replace(/^[ \t]*\|.*$/gm, "")
    .replace(/!\[[^[\]\n]{0,300}\]\([^()\n]{0,300}\)/g, "")
    .replace(/\[\\?\[?\d{1,3}\\?\]?\](?:\([^()\n]{0,300}\))?/g, "\n")
    .replace(/\[([^[\]\n]{0,300})\]\([^()\n]{0,300}\)/g, "$1")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+/gm, "")
    .replace(/\*\*|__|`|~~/g, "")
    .replace(/[[\]]/g, "")
    // Lines that were only wrapped belong together.
    .replace(/(?<=[\p{L}\p{N},;])\n(?=\p{Ll})/gu, " ")
    .replace(/[^\S\n]+/g, " ");
