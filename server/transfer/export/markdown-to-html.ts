import { escapeHtml } from "../../lib/escape-html.ts";

/**
 * Markdown as HTML for printing: headings, lists, tables, quotes, code, emphasis and links; everything else is shown as it
 * is written. Every character of the text is escaped, and pictures become links, so that the result runs nothing and loads
 * nothing. Takes linear time.
 */
export function toPrintedHtml(markdown: string): string {
  return renderBlocks(markdown.replaceAll("\r\n", "\n").split("\n"), 0);
}

/** Deeper quotes and lists are shown as they are written. */
const DEEPEST = 8;

type Block = { readonly html: string; readonly next: number };
type Reader = (lines: readonly string[], at: number, depth: number) => Block | undefined;

function renderBlocks(lines: readonly string[], depth: number): string {
  const html: string[] = [];
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const block = readBlock(lines, at, depth) ?? readParagraph(lines, at, depth);
    html.push(block.html);
    at = block.next;
  }
  return html.join("\n");
}

const isBlank = (line: string | undefined): boolean => (line ?? "").trim() === "";

function readBlock(lines: readonly string[], at: number, depth: number): Block | undefined {
  for (const read of [readCode, readHeading, readRule, readTable, readQuote, readList]) {
    const block = read(lines, at, depth);
    if (block) return block;
  }
  return undefined;
}

const readCode: Reader = (lines, at) => {
  const [, indent = "", fence = ""] = /^( {0,3})(```+|~~~+)/.exec(lines[at] ?? "") ?? [];
  if (fence === "") return undefined;
  let end = at + 1;
  while (end < lines.length && !isFenceEnd(lines[end] ?? "", fence)) end += 1;
  const code = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  return { html: `<pre><code>${escapeHtml(code.join("\n"))}</code></pre>`, next: end + 1 };
};

const isFenceEnd = (line: string, fence: string): boolean => {
  const text = line.trim();
  return text.length >= fence.length && text === (fence[0] ?? "").repeat(text.length);
};

/** The title of the page has level 1, and messages have level 2. */
const readHeading: Reader = (lines, at) => {
  const [, marks = "", text = ""] = /^ {0,3}(#{1,6}) (.*)$/.exec(lines[at] ?? "") ?? [];
  if (marks === "") return undefined;
  const level = Math.min(6, marks.length + 2);
  return { html: `<h${level}>${renderInline(text.trim())}</h${level}>`, next: at + 1 };
};

const readRule: Reader = (lines, at) =>
  /^(?:-{3,}|\*{3,}|_{3,})$/.test((lines[at] ?? "").trim()) ? { html: "<hr>", next: at + 1 } : undefined;

const readTable: Reader = (lines, at) => {
  const [head = "", rule = ""] = lines.slice(at, at + 2);
  if (!head.includes("|") || !rule.includes("-") || !rule.includes("|") || !/^[ |:-]+$/.test(rule)) return undefined;
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? "").includes("|")) end += 1;
  const toRow = (line: string, tag: "th" | "td") =>
    `<tr>${toCells(line)
      .map((cell) => `<${tag}>${renderInline(cell)}</${tag}>`)
      .join("")}</tr>`;
  const rows = lines.slice(at + 2, end).map((line) => toRow(line, "td"));
  return { html: `<table>\n${[toRow(head, "th"), ...rows].join("\n")}\n</table>`, next: end };
};

const toCells = (line: string): readonly string[] => {
  const text = line.trim();
  const inner = text.slice(text.startsWith("|") ? 1 : 0, text.endsWith("|") ? -1 : undefined);
  return inner.split("|").map((cell) => cell.trim());
};

const readQuote: Reader = (lines, at, depth) => {
  const isQuote = (line: string | undefined): boolean => (line ?? "").startsWith(">");
  if (!isQuote(lines[at]) || depth >= DEEPEST) return undefined;
  let end = at;
  while (end < lines.length && isQuote(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.slice(line.startsWith("> ") ? 2 : 1));
  return { html: `<blockquote>\n${renderBlocks(inner, depth + 1)}\n</blockquote>`, next: end };
};

type Item = { readonly indent: number; readonly width: number; readonly number: number | undefined };

function toItem(line: string | undefined): Item | undefined {
  const [all = "", indent = "", mark = ""] = /^( {0,12})([-*+]|\d{1,9}[.)]) +/.exec(line ?? "") ?? [];
  if (mark === "") return undefined;
  return { indent: indent.length, width: all.length, number: mark.length > 1 ? Number.parseInt(mark, 10) : undefined };
}

const readList: Reader = (lines, at, depth) => {
  const first = toItem(lines[at]);
  if (!first || depth >= DEEPEST) return undefined;
  const isOrdered = first.number !== undefined;
  const items: string[][] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    const item = toItem(line);
    const indent = line.length - line.trimStart().length;
    if (item && item.indent <= first.indent) {
      if ((item.number !== undefined) !== isOrdered) break;
      items.push([line.slice(item.width)]);
      continue;
    }
    // The rest of an item is indented; after an empty line nothing else belongs to it.
    const isRest = isBlank(line) || indent > first.indent || !isBlank(lines[end - 1]);
    if (!isRest || (indent <= first.indent && !isBlank(line) && startsBlock(lines, end))) break;
    items.at(-1)?.push(line.slice(Math.min(indent, first.width)));
  }
  const start = first.number === undefined || first.number === 1 ? "" : ` start="${first.number}"`;
  const inner = items.map((item) => `<li>${renderItem(item, depth + 1)}</li>`).join("\n");
  return { html: isOrdered ? `<ol${start}>\n${inner}\n</ol>` : `<ul>\n${inner}\n</ul>`, next: end };
};

/** A short item without a paragraph around it. */
const renderItem = (lines: readonly string[], depth: number): string => {
  const [first = "", ...rest] = lines;
  return rest.every(isBlank) ? renderInline(first.trim()) : renderBlocks(lines, depth);
};

const startsBlock = (lines: readonly string[], at: number): boolean =>
  [readCode, readHeading, readRule].some((read) => read(lines, at, 0) !== undefined) ||
  (lines[at] ?? "").startsWith(">") ||
  toItem(lines[at]) !== undefined;

function readParagraph(lines: readonly string[], at: number, depth: number): Block {
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end]) && (depth >= DEEPEST || !startsBlock(lines, end))) end += 1;
  const text = lines.slice(at, end).map((line) => line.trim());
  return { html: `<p>${renderInline(text.join("\n"))}</p>`, next: end };
}

/** Code and links, whose text is not looked at for emphasis of the text around it. */
const special = /(`[^`\n]+`|!?\[[^\][\n]*\]\(<?(?:https?:\/\/|mailto:)[^\s()<>]*>?\))/;
const link = /^!?\[([^\]]*)\]\(<?([^\s()<>]*)>?\)$/;

const renderInline = (text: string): string => text.split(special).map(renderPiece).join("");

function renderPiece(piece: string, index: number): string {
  if (index % 2 === 0) return renderEmphasis(piece);
  if (piece.startsWith("`")) return `<code>${escapeHtml(piece.slice(1, -1))}</code>`;
  const [, text = "", url = ""] = link.exec(piece) ?? [];
  return `<a href="${escapeHtml(url)}">${renderEmphasis(text) || escapeHtml(url)}</a>`;
}

const renderEmphasis = (text: string): string =>
  escapeHtml(text)
    .replace(/\*\*([^*\n]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\*([^*\s]|[^*\s][^*\n]*[^*\s])\*/g, "<em>$1</em>")
    .replace(/~~([^~\n]+)~~/g, "<del>$1</del>");
