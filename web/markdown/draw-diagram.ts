import mermaid, { type MermaidConfig } from "mermaid";
import { markdown as strings } from "../strings/markdown.ts";
import { groupDigits } from "../lib/format.ts";
import type { Colors } from "./read-colors.ts";

/**
 * Renders Mermaid source to an SVG, or explains why it cannot. The result is sanitized and shown as an image, which cannot
 * run scripts, follow links or load resources; tags and image URLs in the source are removed, so that none is requested
 * while rendering.
 */
export type DrawResult = ({ readonly ok: true } & Drawing) | { readonly ok: false; readonly text: string };
export type Drawing = { readonly svg: string };

const longestCharacters = 20_000;
const fontFamily = "system-ui, sans-serif";
let lastId = 0;

/** Recent pictures: a diagram that is scrolled out of view and back is not drawn again. */
const recent = new Map<string, Promise<DrawResult>>();
const keptPictures = 24;
let queue: Promise<unknown> = Promise.resolve();

/** Diagrams are drawn one after another, with a task between them, so that a page with many of them stays usable. */
export function drawDiagram(source: string, colors: Colors): Promise<DrawResult> {
  const key = `${JSON.stringify(colors)}\n${source}`;
  const known = recent.get(key);
  if (known) return known;
  const result = queue.then(() => new Promise((next) => setTimeout(next))).then(() => draw(source, colors));
  queue = result;
  recent.set(key, result);
  for (const oldest of recent.keys()) if (recent.size > keptPictures) recent.delete(oldest);
  return result;
}

async function draw(source: string, colors: Colors): Promise<DrawResult> {
  if (source.length > longestCharacters)
    return { ok: false, text: strings.diagram.tooLong(groupDigits(longestCharacters)) };
  mermaid.initialize(toConfig(colors));
  const stage = createStage();
  try {
    const { svg } = await mermaid.render(`diagram-${++lastId}`, toPlain(source), stage);
    const clean = cleanPicture(svg);
    return clean === null ? { ok: false, text: strings.diagram.empty } : { ok: true, ...clean };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // The lines after the first list what the parser expected.
    return { ok: false, text: (text.split("\n")[0] ?? text).replace(/:\s*$/, ".") };
  } finally {
    stage.remove();
  }
}

/** Text is measured in the document, off screen. */
function createStage(): HTMLElement {
  const stage = document.createElement("div");
  stage.ariaHidden = "true";
  stage.inert = true;
  stage.style.cssText = "position:fixed;left:-9999px;top:0;width:1200px;visibility:hidden";
  document.body.append(stage);
  return stage;
}

/** Labels are plain text: image URLs, link menus and all tags except line breaks are removed. */
export const toPlain = (source: string): string =>
  withoutMenus(withoutPictures(source)).replaceAll(/(?<!<)<(?=[/!]?[a-z])(?!br\s*\/?>)/gi, "#lt;");

/** Node metadata is YAML, where a name has many spellings: without escapes, and with a joiner inserted, none is left. */
const withoutPictures = (source: string): string =>
  source.includes("@{") ? source.replaceAll("\\", "").replaceAll("img", "im\u2060g") : source;

/** Mermaid's scripts handle these in sequence diagrams. */
const withoutMenus = (source: string): string =>
  /^[ \t]*sequenceDiagram\b/m.test(source)
    ? source.replaceAll(/(^|;)[ \t]*(?:links?|properties|details)\s[^\n:>]{0,200}:[^\n]*/gim, "$1")
    : source;

const toConfig = (colors: Colors): MermaidConfig => ({
  startOnLoad: false,
  look: "classic",
  securityLevel: "strict",
  suppressErrorRendering: true,
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  maxTextSize: longestCharacters,
  maxEdges: 500,
  fontFamily,
  theme: "base",
  // The line of an edge does not show through its label, nor touch it.
  themeCSS: `.edgeLabel rect { opacity: 1; stroke: ${colors.sunk}; stroke-width: 8px; }`,
  themeVariables: {
    fontFamily,
    background: colors.sunk,
    primaryColor: colors.bubble,
    primaryTextColor: colors.ink,
    primaryBorderColor: colors["line-strong"],
    secondaryColor: colors["accent-wash"],
    tertiaryColor: colors.ground,
    lineColor: colors.soft,
    textColor: colors.ink,
    noteBkgColor: colors["accent-wash"],
    noteTextColor: colors.ink,
    edgeLabelBackground: colors.sunk,
  },
  secure: [
    "secure",
    "securityLevel",
    "startOnLoad",
    "suppressErrorRendering",
    "maxTextSize",
    "maxEdges",
    "htmlLabels",
    "fontFamily",
    "themeCSS",
    "themeVariables",
    "look",
  ],
});

/**
 * An SVG reduced to shapes, text and styles: no scripts, foreign content, links, or URLs outside the picture. Parsed into a
 * detached document and serialized from an allow list.
 */
const shapes = new Set(
  (
    "svg g path rect circle ellipse line polyline polygon text tspan textPath defs marker style title desc clipPath mask " +
    "linearGradient radialGradient stop pattern use symbol filter feGaussianBlur feOffset feMerge feMergeNode feDropShadow " +
    "feFlood feComposite feColorMatrix feComponentTransfer feFuncA switch"
  ).split(" "),
);
const svgSpace = "http://www.w3.org/2000/svg";

function cleanPicture(markup: string): Drawing | null {
  const parsed = new DOMParser().parseFromString(markup, "text/html");
  const root = parsed.querySelector("svg");
  if (!root || root.namespaceURI !== svgSpace) return null;
  clean(root);
  setSize(root);
  return { svg: new XMLSerializer().serializeToString(root) };
}

function clean(element: Element): void {
  for (const { name, value } of [...element.attributes])
    if (!isAllowed(name.toLowerCase(), value)) element.removeAttribute(name);
  if (element.localName === "style") {
    const text = element.textContent ?? "";
    element.textContent = isSafeStyle(text) ? text : "";
  }
  for (const child of [...element.children]) {
    if (child.localName === "a") {
      clean(child);
      child.replaceWith(...child.childNodes);
    } else if (child.namespaceURI !== svgSpace || !shapes.has(child.localName)) child.remove();
    else clean(child);
  }
}

function isAllowed(name: string, value: string): boolean {
  if (name.startsWith("on") || name === "src") return false;
  if (name === "href" || name === "xlink:href") return value.startsWith("#");
  return isSafeStyle(value);
}

/** Only references within the picture; escapes are rejected, because they could hide a URL. */
const isSafeStyle = (text: string): boolean =>
  !/@import|expression\(|\\|javascript:|image-set\(/i.test(text) && !/url\(\s*(?!["']?#)/i.test(text);

/** An image has no page to take its width from. */
function setSize(root: SVGElement): void {
  const [, , width, height] = (root.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  if (!width || !height) return;
  root.setAttribute("width", `${Math.ceil(width)}`);
  root.setAttribute("height", `${Math.ceil(height)}`);
  root.removeAttribute("style");
}
