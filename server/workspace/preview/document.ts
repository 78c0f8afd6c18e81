import { posix } from "node:path";
import { Parser } from "htmlparser2";
import type { CompileResult } from "./compile.ts";
import type { Entry } from "./workspace-plugin.ts";
import { extensionOf } from "./file-types.ts";
import { escapeHtml } from "../../lib/escape-html.ts";

type Attributes = Readonly<Record<string, string>>;
type Tag = { readonly name: string; readonly attributes: Attributes; readonly start: number; readonly end: number };
type Edit = { readonly start: number; readonly end: number; readonly text: string };

type Page = {
  readonly html: string;
  /** Its path in the workspace. */
  readonly path: string;
  /** `/preview/TOKEN/` */
  readonly root: string;
  readonly seq: number;
  readonly has: (path: string) => boolean;
  readonly build: (entry: Entry) => Promise<CompileResult>;
};

const addressed: readonly string[] = ["src", "href", "poster", "action"];
const compiled = new Set(["ts", "tsx", "jsx", "mts"]);

/** Prefix of compiled modules. No path of a workspace starts with it. */
export const BUILD_FOLDER = "-/build/";
export const REPORTER = "-/reporter.js";

/**
 * A page of the workspace as served: the reporter first, modules and styles compiled, and root-relative URLs resolved against the
 * workspace. Line numbers stay the same as in the file.
 */
export async function toDocument(page: Page): Promise<string> {
  const { html, root, seq } = page;
  const { tags, modules } = readTags(html);
  const entries = new Map(
    toEntries(html, modules, page.path).map((entry, n) => [modules[n]?.start, { entry, end: modules[n]?.end ?? 0 }]),
  );
  const edits: Edit[] = [];
  let builds = 0;
  const build: Page["build"] = (entry) => {
    builds += 1;
    return builds > MOST_BUILDS ? Promise.resolve(TOO_MANY) : page.build(entry);
  };
  for (const tag of tags) {
    const edit = await toEdit(tag, entries.get(tag.end), { ...page, build });
    if (edit) edits.push(edit);
  }
  const at = findDoctypeEnd(html);
  const reporter = `<script src="${root}${REPORTER}" data-root="${root}" data-seq="${seq}" data-page="${escapeHtml(page.path)}"></script>`;
  return apply(html, [{ start: at, end: at, text: reporter }, ...edits]);
}

/** The index after the doctype, which only whitespace and comments may precede; 0 without one. */
function findDoctypeEnd(html: string): number {
  let at = 0;
  for (;;) {
    if (/\s/.test(html.charAt(at))) at += 1;
    else if (html.startsWith("<!--", at)) {
      const close = html.indexOf("-->", at + 4);
      if (close < 0) return 0;
      at = close + 3;
    } else break;
  }
  if (html.slice(at, at + 9).toLowerCase() !== "<!doctype") return 0;
  return html.indexOf(">", at) + 1;
}

/** Inline modules compiled per page; later ones fail when requested. */
const MOST_BUILDS = 60;
const TOO_MANY: CompileResult = { ok: false, problems: [] };

/** Inline modules of a page, as separate entries. */
export const listModules = (html: string, path: string): readonly Entry[] =>
  toEntries(html, readTags(html).modules, path);

/** Padded with newlines, so that line numbers match the page. */
function toEntries(html: string, modules: readonly InlineModule[], path: string): readonly Entry[] {
  let [lines, at] = [0, 0];
  return modules.slice(0, MOST_BUILDS).map(({ text, start }, index) => {
    lines += countLines(html.slice(at, start));
    at = start;
    return { path: `${path}#${index}`, contents: "\n".repeat(lines) + text };
  });
}

type InlineModule = { readonly text: string; readonly start: number; readonly end: number };

function readTags(html: string): { readonly tags: readonly Tag[]; readonly modules: readonly InlineModule[] } {
  const tags: Tag[] = [];
  const modules: InlineModule[] = [];
  let open: number | undefined;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const [start, end] = [parser.startIndex, parser.endIndex + 1];
      tags.push({ name, attributes, start, end });
      if (name === "script" && attributes["type"] === "module" && attributes["src"] === undefined) open = end;
    },
    onclosetag: (name) => {
      if (name !== "script" || open === undefined) return;
      modules.push({ text: html.slice(open, parser.startIndex), start: open, end: parser.startIndex });
      open = undefined;
    },
  });
  parser.end(html);
  return { tags, modules };
}

type Inline = { readonly entry: Entry; readonly end: number };

async function toEdit(tag: Tag, inline: Inline | undefined, page: Page): Promise<Edit | undefined> {
  const { name, attributes } = tag;
  if (inline) return toModule({ ...tag, end: inline.end }, inline.entry, page);
  const target = toPath(attributes[name === "link" ? "href" : "src"], page);
  if (name === "script" && target !== undefined) {
    if (attributes["type"] === "module" || compiled.has(extensionOf(target)))
      return toModule(tag, { path: target }, page);
    // Without `crossorigin`, errors have no details: the opaque origin makes every script cross-origin.
    return rewrite(tag, { ...rebase(attributes, page), crossorigin: "anonymous" }, page.html);
  }
  if (name === "link" && /\bstylesheet\b/i.test(attributes["rel"] ?? "") && target !== undefined && page.has(target)) {
    const built = await page.build({ path: target });
    const href = toBuildUrl(page.root, target, "css");
    const fail = built.ok ? "" : `<script src="${toBuildUrl(page.root, target, "js")}" crossorigin></script>`;
    const edit = rewrite(tag, { ...attributes, href }, page.html);
    return { ...edit, text: edit.text + fail };
  }
  const based = rebase(attributes, page);
  return based === attributes ? undefined : rewrite(tag, based, page.html);
}

async function toModule(tag: Tag, entry: Entry, { root, html, build }: Page): Promise<Edit> {
  const built = await build(entry);
  const { src: _, type: __, ...others } = tag.attributes;
  const style =
    built.ok && built.css !== "" ? `<link rel="stylesheet" href="${toBuildUrl(root, entry.path, "css")}">` : "";
  const edit = rewrite(tag, { type: "module", src: toBuildUrl(root, entry.path, "js"), ...others }, html);
  return { ...edit, text: style + edit.text };
}

const toBuildUrl = (root: string, path: string, ending: "js" | "css"): string =>
  `${root}${BUILD_FOLDER}${path.split("/").map(encodeURIComponent).join("/")}.${ending}`;

/** The workspace file that a URL in a page refers to; undefined if there is none. */
function toPath(address: string | undefined, { path }: Page): string | undefined {
  if (address === undefined || address === "" || /^([a-z][a-z\d+.-]*:|\/\/|#|\?)/i.test(address)) return undefined;
  const [plain = ""] = address.split(/[?#]/, 1);
  const joined = posix.normalize(plain.startsWith("/") ? plain.slice(1) : posix.join(posix.dirname(path), plain));
  return joined.startsWith("..") ? undefined : decode(joined);
}

function rebase(attributes: Attributes, { root }: Page): Attributes {
  const moved = Object.entries(attributes).filter(
    ([name, value]) => addressed.includes(name) && /^\/(?!\/)/.test(value),
  );
  if (moved.length === 0) return attributes;
  return { ...attributes, ...Object.fromEntries(moved.map(([name, value]) => [name, root + value.slice(1)])) };
}

function rewrite({ name, start, end }: Tag, attributes: Attributes, html: string): Edit {
  const before = html.slice(start, end);
  const list = Object.entries(attributes).map(([key, value]) =>
    value === "" ? ` ${key}` : ` ${key}="${escapeHtml(value)}"`,
  );
  const close = before.endsWith("/>") ? " /" : "";
  return { start, end, text: `<${name}${list.join("")}${close}${"\n".repeat(countLines(before))}>` };
}

const countLines = (text: string): number => text.split("\n").length - 1;

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function apply(html: string, edits: readonly Edit[]): string {
  let [text, at] = ["", 0];
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    if (edit.start < at) continue;
    text += html.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + html.slice(at);
}
