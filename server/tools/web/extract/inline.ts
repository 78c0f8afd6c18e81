import { isFaint } from "./hidden.ts";
import { isUnseen } from "./layout.ts";
import { stripInvisible } from "./text.ts";
import type { Child, Element } from "./tree.ts";

type InlineOptions = {
  /** Base URL of relative links. */
  readonly url: string;
  /** The target of a link around the text. */
  readonly link?: string | undefined;
};

/** One paragraph of Markdown. Line breaks are kept; images become their alt text. */
export function renderInline(nodes: readonly Child[], { url, link }: InlineOptions): string {
  const text = tidy(nodes.map((node) => render(node, { url, link: link ?? "" })).join(""));
  return link === undefined ? text : toLink(text, link);
}

type Context = { readonly url: string; readonly link: string };

function render(node: Child, context: Context): string {
  if (typeof node === "string") return escapeText(stripInvisible(node).replace(/\s+/g, " "));
  if (node.tag === "img") return toImage(node);
  if (isUnseen(node) || isFaint(node)) return "";
  if (node.tag === "br") return "\n";
  if (codeTags.has(node.tag)) return toCode(gatherText(node));
  const target = node.tag === "a" && context.link === "" ? toTarget(node, context.url) : undefined;
  const inner = node.children
    .map((child) => render(child, target === undefined ? context : { ...context, link: target }))
    .join("");
  if (target !== undefined) return toLink(inner, target);
  if (isPlaceMark(node, inner)) return "";
  const mark = marks[node.tag];
  return mark === undefined ? inner : wrap(inner, mark);
}

const codeTags = new Set(["code", "kbd", "samp", "tt"]);
const marks: Readonly<Record<string, string>> = {
  strong: "**",
  b: "**",
  em: "*",
  i: "*",
  del: "~~",
  s: "~~",
  strike: "~~",
};

/** The target of a link, or undefined for scripts, data URLs and fragments of the page itself. */
export function toTarget({ attributes }: Element, url: string): string | undefined {
  const address = attributes.get("href")?.trim();
  if (address === undefined || address === "" || address.startsWith("#")) return undefined;
  const target = URL.parse(address, URL.canParse(url) ? url : undefined);
  if (target === null || !/^(https?|mailto|tel):$/.test(target.protocol)) return undefined;
  return target.href.replaceAll("(", "%28").replaceAll(")", "%29");
}

/** The anchor symbol next to a heading that links to the heading itself. */
const isPlaceMark = ({ tag, attributes }: Element, text: string): boolean =>
  tag === "a" && attributes.get("href")?.startsWith("#") === true && !/[\p{L}\p{N}]/u.test(text);

/** Places the marks directly at the words, with whitespace outside. */
function wrap(text: string, mark: string): string {
  const words = text.trim();
  if (words === "" || words.includes("\n") || words.startsWith(mark) || words.endsWith(mark)) return text;
  return `${/^\s/.test(text) ? " " : ""}${mark}${words}${mark}${/\s$/.test(text) ? " " : ""}`;
}

function toLink(text: string, target: string): string {
  const words = tidy(text).replaceAll("\n", " ");
  if (words === "") return text;
  return `${/^\s/.test(text) ? " " : ""}[${words}](${target})${/\s$/.test(text) ? " " : ""}`;
}

export function toImage({ attributes }: Element): string {
  const words = stripInvisible(attributes.get("alt") ?? "")
    .replace(/\s+/g, " ")
    .trim();
  if (!/[\p{L}\p{N}]/u.test(words)) return words;
  return `[image: ${words.replace(/[[\]]/g, "")}]`;
}

function toCode(text: string): string {
  const words = stripInvisible(text).replace(/\s+/g, " ").trim();
  if (words === "") return "";
  const fence = "`".repeat(longestRun(words) + 1);
  return fence.length === 1 ? `\`${words}\`` : `${fence} ${words} ${fence}`;
}

/** The longest run of backticks. */
export const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);

/** The unchanged text of an element, with its line breaks. */
export function gatherText(node: Child): string {
  if (typeof node === "string") return node;
  if (isUnseen(node) || isFaint(node)) return "";
  return node.tag === "br" ? "\n" : node.children.map(gatherText).join("");
}

/** Escapes only characters that Markdown would interpret: models read the text more often than it is rendered. */
const escapeText = (text: string): string =>
  text.replace(/[\\`*]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|[[\]](?=[([])|<(?=[a-z/!?])|(?<=\s)~~(?=\S)/giu, "\\$&");

/** Trims each line. */
const tidy = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(/ +/g, " ").trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

/** Escapes a line start that would become a heading, a quote or a list. */
export const escapeStart = (text: string): string =>
  text.replace(/^(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|\d{1,9}(?=[.)]\s))/gm, (mark) =>
    /\d/.test(mark) ? `${mark}\\` : `\\${mark}`,
  );

export const joinBlocks = (blocks: readonly string[]): string => blocks.filter((block) => block !== "").join("\n\n");

export const toOneLine = (blocks: readonly string[]): string =>
  tidy(blocks.join(" ").replace(/\s+/g, (run) => (run.includes("\n") ? " " : run)));
