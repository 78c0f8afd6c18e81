import type { Box, Image, Run } from "./layout.ts";
import { stripInvisible } from "./text.ts";
import {
  escapeStart,
  gatherText,
  joinBlocks,
  longestRun,
  renderInline,
  toImage,
  toOneLine,
  toTarget,
} from "./inline.ts";
/** Shared state of rendering. */
type Rendering = {
  readonly url: string;
  readonly isKept: (run: Run) => boolean;
  readonly isShown: (image: Image) => boolean;
};

/** Renders the selected runs as Markdown, following the structure of their boxes. */
export function renderMarkdown(root: Box, rendering: Rendering): string {
  return joinBlocks(renderChildren(root, rendering, undefined)).trim();
}

function renderChildren(box: Box, rendering: Rendering, link: string | undefined): readonly string[] {
  return box.children.flatMap((child): readonly string[] => {
    if (child.kind === "image") return rendering.isShown(child) ? [toImage(child.element)] : [];
    if (child.kind === "box") return [renderBox(child, rendering, link)];
    if (!rendering.isKept(child)) return [];
    return [escapeStart(toLines(renderInline(child.nodes, { url: rendering.url, link })))];
  });
}

/** A line break inside a paragraph is two spaces and the break. */
const toLines = (text: string): string => text.replace(/\n+/g, "  \n");

function renderBox(box: Box, rendering: Rendering, link: string | undefined): string {
  const target = box.tag === "a" ? (toTarget(box.element, rendering.url) ?? link) : link;
  const renderer = renderers[box.tag];
  return renderer === undefined ? joinBlocks(renderChildren(box, rendering, target)) : renderer(box, rendering, target);
}

type Renderer = (box: Box, rendering: Rendering, link: string | undefined) => string;

const renderHeading =
  (level: number): Renderer =>
  (box, rendering, link) => {
    const text = toOneLine(renderChildren(box, rendering, link))
      .replace(/^\\(?=[#>+-])/, "")
      .replace(/^\*\*([^*]+)\*\*$/, "$1");
    return text === "" ? "" : `${"#".repeat(level)} ${text}`;
  };

/** Maximum indentation of nested lists and quotations. Deeper ones stay at this depth. */
const maxIndents = 8;
const isIndented = (box: Box): boolean => {
  let indents = 0;
  for (let one: Box | undefined = box.parent; one !== undefined && indents < maxIndents; one = one.parent)
    if (/^(ul|ol|menu|blockquote)$/.test(one.tag)) indents += 1;
  return indents < maxIndents;
};

const renderList: Renderer = (box, rendering, link) => {
  if (!isIndented(box)) return joinBlocks(renderChildren(box, rendering, link));
  let number = Number.parseInt(box.element.attributes.get("start") ?? "1", 10) || 1;
  const items: string[] = [];
  for (const child of box.children) {
    const isItem = child.kind === "box" && child.tag === "li";
    const text = joinBlocks(renderChildren(isItem ? child : { ...box, children: [child] }, rendering, link));
    if (text === "") continue;
    const mark = box.tag === "ol" ? `${number}. ` : "- ";
    if (isItem) number += 1;
    items.push(mark + text.replace(/\n(?=.)/g, `\n${" ".repeat(mark.length)}`));
  }
  const isLoose = items.some((item) => item.includes("\n\n"));
  return items.join(isLoose ? "\n\n" : "\n");
};

const renderQuote: Renderer = (box, rendering, link) => {
  const text = joinBlocks(renderChildren(box, rendering, link));
  return text === "" || !isIndented(box) ? text : text.replace(/^(?=.)/gm, "> ").replace(/^$/gm, ">");
};

const renderTerm: Renderer = (box, rendering, link) => {
  const text = toOneLine(renderChildren(box, rendering, link));
  return text === "" || text.includes("**") ? text : `**${text}**`;
};

const renderCode: Renderer = (box, rendering) => {
  if (!hasKept(box, rendering)) return "";
  const text = stripInvisible(gatherCode(box))
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/^\n+/, "")
    .trimEnd();
  if (text === "") return "";
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${findLanguage(box)}\n${text}\n${fence}`;
};

const hasKept = (box: Box, rendering: Rendering): boolean =>
  box.children.some((child) =>
    child.kind === "box" ? hasKept(child, rendering) : child.kind === "run" && rendering.isKept(child),
  );

/** Boxes inside code are lines. */
const gatherCode = (box: Box): string =>
  box.children
    .map((child) =>
      child.kind === "box"
        ? gatherCode(child).replace(/\n?$/, "\n")
        : child.kind === "run"
          ? child.nodes.map(gatherText).join("")
          : "",
    )
    .join("");

/** Sites put the language on the code element or on one of its ancestors. */
function findLanguage(box: Box): string {
  const inner = box.children.flatMap((child) =>
    child.kind === "run" ? child.nodes.flatMap((node) => (typeof node === "string" ? [] : [node])) : [],
  );
  const outer = [box.element, box.parent?.element, box.parent?.parent?.element].flatMap((one) => one ?? []);
  for (const { attributes } of [...inner, ...outer]) {
    const named = attributes.get("data-lang") ?? attributes.get("data-language");
    const found = languageClass.exec(attributes.get("class") ?? "")?.[1] ?? named;
    if (found !== undefined && /^[\w+#-]{1,20}$/.test(found)) return found.toLowerCase();
  }
  return "";
}
const languageClass = /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush: ?)([\w+#-]+)/;

const renderers: Readonly<Record<string, Renderer>> = {
  h1: renderHeading(1),
  h2: renderHeading(2),
  h3: renderHeading(3),
  h4: renderHeading(4),
  h5: renderHeading(5),
  h6: renderHeading(6),
  ul: renderList,
  ol: renderList,
  menu: renderList,
  blockquote: renderQuote,
  dt: renderTerm,
  pre: renderCode,
  table: (box, rendering, link) => renderTable(box, (inner) => renderChildren(inner, rendering, link)),
};

/** Renders a data table as a GFM table and a layout table as its blocks. */
function renderTable(box: Box, render: (box: Box) => readonly string[]): string {
  const rows = findRows(box);
  if (isLayout(box, rows)) return joinBlocks(render(box));
  const caption = box.children
    .filter((child) => child.kind === "box" && child.tag === "caption")
    .flatMap((child) => (child.kind === "box" ? render(child) : []));
  const cells = rows
    .map((row) => row.map((cell) => toOneLine(render(cell)).replaceAll("|", "\\|")))
    .filter((row) => row.some((cell) => cell !== ""));
  const [head, ...rest] = cells;
  if (head === undefined) return joinBlocks(caption);
  const width = Math.max(...cells.map((row) => row.length));
  const toLine = (row: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, column) => row[column] ?? "").join(" | ")} |`;
  const ruler = `| ${Array.from({ length: width }, () => "---").join(" | ")} |`;
  return joinBlocks([...caption, [toLine(head), ruler, ...rest.map(toLine)].join("\n")]);
}

const findRows = (box: Box): readonly (readonly Box[])[] =>
  box.children.flatMap((child): readonly (readonly Box[])[] => {
    if (child.kind !== "box" || child.tag === "table") return [];
    if (child.tag !== "tr") return child.tag === "caption" ? [] : findRows(child);
    return [child.children.flatMap((cell) => (cell.kind === "box" && /^t[dh]$/.test(cell.tag) ? [cell] : []))];
  });

/** A layout table has one column or row, a nested table, or cells with a lot of content. */
function isLayout(box: Box, rows: readonly (readonly Box[])[]): boolean {
  if (rows.length < 2 || rows.every((row) => row.length < 2)) return true;
  const cells = rows.flat();
  if (cells.some((cell) => holdsTable(cell))) return true;
  const hasHead = cells.some(({ tag }) => tag === "th");
  return !hasHead && box.words / Math.max(1, cells.length) > 40;
}

const holdsTable = (box: Box): boolean =>
  box.children.some(
    (child) => child.kind === "box" && (child.tag === "table" || child.tag === "pre" || holdsTable(child)),
  );
