import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { blockTags, formattingTags, voidTags } from "./tags.ts";

/** A page as elements and text, without comments, declarations and the text of scripts and styles. */
export type Element = {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Child[];
};
export type Child = Element | string;

/** Deeper elements are flattened into siblings, so that the tree can be walked recursively. */
const maxDepth = 200;
const none: ReadonlyMap<string, string> = new Map();

/**
 * Builds the tree in one pass and linear time. Repairs broken markup like browsers where that affects the structure: open
 * paragraphs, list items, cells, and formatting that is closed late.
 */
export function parseTree(html: string): Element {
  const root: Element = { tag: "#root", attributes: none, children: [] };
  const builder = createBuilder(root);
  let attributes: Map<string, string> | undefined;
  let [tag, name, value] = ["", "", ""];
  const finish = (): void => {
    builder.open(tag, attributes ?? none);
    attributes = undefined;
  };
  const callbacks: TokenizerCallbacks = {
    onopentagname: (start, end) => void (tag = html.slice(start, end).toLowerCase()),
    onattribname: (start, end) => void ([name, value] = [html.slice(start, end).toLowerCase(), ""]),
    onattribdata: (start, end) => void (value += html.slice(start, end)),
    onattribentity: (code) => void (value += String.fromCodePoint(code)),
    onattribend: () => {
      attributes ??= new Map();
      if (!attributes.has(name)) attributes.set(name, value);
    },
    onopentagend: finish,
    onselfclosingtag: () => {
      finish();
      if (builder.isForeign()) builder.close(tag);
    },
    onclosetag: (start, end) => builder.close(html.slice(start, end).toLowerCase()),
    ontext: (start, end) => builder.text(html.slice(start, end)),
    ontextentity: (code) => builder.text(String.fromCodePoint(code)),
    oncdata: (start, end, offset) => builder.text(html.slice(start, end - offset)),
    oncomment: () => {},
    ondeclaration: () => {},
    onprocessinginstruction: () => {},
    onend: () => {},
    isInForeignContext: () => builder.isForeign(),
  };
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks);
  tokenizer.write(html);
  tokenizer.end();
  if (/\bid="S:\w/.test(html)) joinSegments(root);
  return root;
}

/** React streams parts of a page as hidden `S:n` elements at the end; a script moves each to its template `B:n` or `P:n`. */
function joinSegments(root: Element): void {
  const segments = new Map<string, Element>();
  const gatherSegments = (element: Element): void => {
    for (const child of element.children) {
      if (typeof child === "string") continue;
      const id = child.attributes.has("hidden") ? findId(child, /^S:(\w+)$/) : undefined;
      if (id !== undefined) segments.set(id, child);
      gatherSegments(child);
    }
  };
  const fillTemplates = ({ children }: Element, depth: number): void => {
    for (const [index, child] of children.entries()) {
      if (typeof child === "string" || depth > maxDepth) continue;
      const id = child.tag === "template" ? findId(child, /^[BP]:(\w+)$/) : undefined;
      const segment = id === undefined ? undefined : segments.get(id);
      if (id === undefined || segment === undefined) {
        fillTemplates(child, depth + 1);
        continue;
      }
      segments.delete(id);
      const filled: Element = { tag: "div", attributes: none, children: segment.children.splice(0) };
      children[index] = filled;
      fillTemplates(filled, depth + 1);
    }
  };
  gatherSegments(root);
  fillTemplates(root, 0);
}

const findId = (element: Element, kind: RegExp): string | undefined =>
  kind.exec(element.attributes.get("id") ?? "")?.[1];

type Builder = {
  readonly open: (tag: string, attributes: ReadonlyMap<string, string>) => void;
  readonly close: (tag: string) => void;
  readonly text: (text: string) => void;
  readonly isForeign: () => boolean;
};

function createBuilder(root: Element): Builder {
  const stack: Element[] = [root];
  let tooDeep = 0;
  let foreign = 0;
  const top = (): Element => stack.at(-1) ?? root;
  const popTo = (index: number): void => {
    for (const { tag } of stack.splice(index)) if (isForeignTag(tag)) foreign -= 1;
  };
  /** The innermost open element of these tags, not looking beyond a cell, a table or `walls`. */
  const find = (tags: ReadonlySet<string>, walls: ReadonlySet<string> = scopes): number => {
    for (let index = stack.length - 1; index > 0; index -= 1) {
      const { tag } = stack[index] ?? root;
      if (tags.has(tag)) return index;
      if (walls.has(tag)) return -1;
    }
    return -1;
  };
  const closeImplied = (tag: string): void => {
    const rule = impliedEnds.get(tag);
    if (rule === undefined) return;
    const index = find(rule.ends, rule.walls);
    if (index > 0) popTo(index);
  };
  return {
    open: (tag, attributes) => {
      if (onlyOnce.has(tag) && stack.some((element) => element.tag === tag)) return;
      if (top().tag === "head" && !headTags.has(tag)) popTo(stack.length - 1);
      if (foreign === 0) closeImplied(tag);
      const element: Element = { tag, attributes, children: [] };
      top().children.push(element);
      if (voidTags.has(tag)) return;
      if (stack.length >= maxDepth) {
        tooDeep += 1;
        return;
      }
      stack.push(element);
      if (isForeignTag(tag)) foreign += 1;
    },
    close: (tag) => {
      if (voidTags.has(tag)) return;
      if (tooDeep > 0) {
        tooDeep -= 1;
        return;
      }
      const wanted = new Set([tag]);
      if (formattingTags.has(tag)) {
        const index = find(wanted);
        if (index < 0) return;
        const holdsBlock = stack.slice(index + 1).some((element) => blockTags.has(element.tag));
        if (holdsBlock) stack.splice(index, 1);
        else popTo(index);
        return;
      }
      const walls = blockTags.has(tag) ? (tableTags.has(tag) ? tableWalls : scopes) : blockTags;
      const index = find(wanted, walls);
      if (index > 0) popTo(index);
    },
    text: (text) => {
      if (top().tag === "head" && text.trim() !== "") popTo(stack.length - 1);
      const { tag, children } = top();
      if (silentTags.has(tag)) return;
      const last = children.at(-1);
      if (typeof last === "string") children[children.length - 1] = last + text;
      else children.push(text);
    },
    isForeign: () => foreign > 0,
  };
}

const isForeignTag = (tag: string): boolean => tag === "svg" || tag === "math";
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const silentTags = setOf("style noembed noframes xmp plaintext iframe");
const headTags = setOf("base link meta noscript script style template title");
const onlyOnce = setOf("html body head form");
const scopes = setOf("table td th caption template object");
const tableTags = setOf("table thead tbody tfoot tr td th caption");
const tableWalls = setOf("table template");
const listWalls = setOf("ul ol menu table td th caption template");
const closesParagraph = { ends: setOf("p"), walls: setOf("button table td th caption template object") };

/** Opening a tag closes these open elements. */
const impliedEnds = new Map<string, { readonly ends: ReadonlySet<string>; readonly walls: ReadonlySet<string> }>([
  ...[...blockTags].map((tag) => [tag, closesParagraph] as const),
  ["li", { ends: setOf("li"), walls: listWalls }],
  ["dt", { ends: setOf("dt dd"), walls: setOf("dl table td th template") }],
  ["dd", { ends: setOf("dt dd"), walls: setOf("dl table td th template") }],
  ["tr", { ends: setOf("tr"), walls: tableWalls }],
  ["td", { ends: setOf("td th"), walls: setOf("tr table template") }],
  ["th", { ends: setOf("td th"), walls: setOf("tr table template") }],
  ["tbody", { ends: setOf("thead tbody tfoot"), walls: tableWalls }],
  ["tfoot", { ends: setOf("thead tbody tfoot"), walls: tableWalls }],
  ["option", { ends: setOf("option"), walls: setOf("select datalist optgroup") }],
  ["a", { ends: setOf("a"), walls: setOf("table td th caption template object") }],
]);
