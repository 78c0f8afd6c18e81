import { Parser } from "htmlparser2";
import type { Row, MarkdownWriter } from "./writer.ts";

const skipped = new Set(["script", "style", "head", "template", "noscript", "svg", "math", "iframe", "object"]);
const blocks = new Set([
  "p",
  "div",
  "section",
  "article",
  "blockquote",
  "ul",
  "ol",
  "li",
  "table",
  "pre",
  "hr",
  "dl",
  "dt",
  "dd",
  "figure",
  "figcaption",
  "header",
  "footer",
  "aside",
  "body",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
]);
const MOST_DEPTH = 500;

/** All text of an HTML document, for chapters of books and for mail. Web pages have an extractor that finds their article. */
export function writeHtml(html: string, writer: MarkdownWriter): void {
  let text = "";
  let link: { readonly from: number; readonly url: string } | null = null;
  let depth = 0;
  let skipDepth = 0;
  let isCode = false;
  let heading: number | null = null;
  const lists: { readonly isNumbered: boolean; count: number; isStart: boolean }[] = [];
  let rows: Row[] | null = null;
  let row: string[] = [];
  let tableDepth = 0;

  const flush = (): void => {
    const content = isCode ? text : text.replaceAll(/[^\S\n]+/g, " ").replaceAll(/ ?\n ?/g, "\n");
    text = "";
    link = null;
    const list = lists.at(-1);
    if (content.trim() === "") return;
    if (isCode) writer.code(content);
    else if (heading !== null) writer.heading(heading, content);
    else if (list) {
      if (list.isStart) list.count += 1;
      writer.item(lists.length - 1, !list.isStart ? " " : list.isNumbered ? `${list.count}.` : "-", content);
      list.isStart = false;
    } else writer.paragraph(content.trim());
  };
  const open = (name: string, attributes: Readonly<Record<string, string>>): void => {
    if (rows === null && blocks.has(name)) flush();
    else if (rows !== null && blocks.has(name) && text.trim() !== "") text += "\n";
    if (/^h[1-6]$/.test(name)) heading = Number(name[1]);
    else if (name === "br") text += "\n";
    else if (name === "img" && attributes["alt"]) text += `[Picture: ${attributes["alt"]}]`;
    else if (name === "a" && /^(https?|mailto):/i.test(attributes["href"] ?? ""))
      link = { from: text.length, url: attributes["href"] ?? "" };
    else if (name === "ul" || name === "ol") lists.push({ isNumbered: name === "ol", count: 0, isStart: true });
    else if (name === "li") {
      const list = lists.at(-1);
      if (list) list.isStart = true;
    } else if (name === "pre" && rows === null) isCode = true;
    else if (name === "table") {
      tableDepth += 1;
      if (tableDepth === 1) [rows, row] = [[], []];
    } else if (name === "tr" && tableDepth === 1) row = [];
    else if ((name === "td" || name === "th") && tableDepth === 1) text = "";
  };
  const close = (name: string): void => {
    if (name === "a" && link) {
      const label = text.slice(link.from).trim();
      if (label !== "" && label !== link.url) text = `${text.slice(0, link.from)}[${label}](${link.url})`;
      link = null;
    } else if ((name === "td" || name === "th") && tableDepth === 1) {
      row.push(text.replaceAll(/[^\S\n]+/g, " ").trim());
      text = "";
    } else if (name === "tr" && tableDepth === 1) rows?.push(row);
    else if (name === "table") {
      tableDepth = Math.max(0, tableDepth - 1);
      if (tableDepth > 0 || rows === null) return;
      const done = rows;
      rows = null;
      text = "";
      writeTable(done, writer);
    } else if (rows === null && blocks.has(name)) {
      flush();
      if (name === "pre") isCode = false;
      else if (name === "ul" || name === "ol") lists.pop();
      else if (/^h[1-6]$/.test(name)) heading = null;
    }
  };
  const parser = new Parser({
    onopentag: (name, attributes) => {
      depth += 1;
      if (depth > MOST_DEPTH) throw new Error("This HTML is nested too deeply.");
      if (skipDepth > 0 || skipped.has(name)) skipDepth += 1;
      else open(name, attributes);
    },
    onclosetag: (name) => {
      depth -= 1;
      if (skipDepth > 0) skipDepth -= 1;
      else close(name);
    },
    ontext: (content) => {
      if (skipDepth === 0) text += isCode ? content : content.replaceAll(/\s+/g, " ");
    },
  });
  parser.write(html);
  parser.end();
  flush();
}

/** Mail uses tables for layout: those with one column are written as text. */
function writeTable(rows: readonly Row[], writer: MarkdownWriter): void {
  if (rows.some((cells) => cells.filter((cell) => cell !== "").length > 1)) writer.table(rows);
  else for (const cells of rows) writer.paragraph(cells.join("\n"));
}
