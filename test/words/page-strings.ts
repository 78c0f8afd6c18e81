import { parseSync } from "vite";

/**
 * Finds text that users read outside the page's catalog, `web/strings/`. Strings that only programs read (class names, keys,
 * test ids) have no capital letter followed by a word, or stand in an attribute or call that users never see.
 */
const readable = new Set([
  "title",
  "placeholder",
  "label",
  "alt",
  "aria-label",
  "aria-description",
  "aria-roledescription",
]);
const unseen = new Set([
  "className",
  "class",
  "key",
  "id",
  "rel",
  "role",
  "type",
  "href",
  "src",
  "d",
  "viewBox",
  "style",
  "data-testid",
]);

type Node = { readonly type: string; readonly start: number; readonly [key: string]: unknown };

export function findPageStrings(path: string, text: string): readonly string[] {
  if (
    !path.startsWith("web/") ||
    /^web\/(?:strings|languages)\//.test(path) ||
    !/\.tsx?$/.test(path) ||
    /\.test\./.test(path)
  )
    return [];
  const found: string[] = [];
  const report = (node: Node, words: string): void => {
    const line = text.slice(0, node.start).split("\n").length;
    found.push(`${path}:${line} ${JSON.stringify(words.trim().slice(0, 60))}: move it to web/strings/`);
  };
  const visit = (node: Node, isReadable: boolean): void => {
    if (node.type === "ImportDeclaration" || node.type.startsWith("TS") || isThrow(node)) {
      if (!/^TS(?:As|Satisfies|NonNull)/.test(node.type)) return;
    }
    // Compared with a code or a key name, not shown.
    if (node.type === "BinaryExpression" || node.type === "SwitchCase") {
      for (const child of [node["left"], node["right"], ...((node["consequent"] as readonly unknown[]) ?? [])])
        if (isNode(child) && child.type !== "Literal") visit(child, isReadable);
      return;
    }
    if (node.type === "JSXText" && /[A-Za-z]{2}/.test(text.slice(node.start, Number(node["end"]))))
      report(node, String(node["value"]));
    if (node.type === "JSXAttribute") {
      const name = String((node["name"] as Node)["name"]);
      if (unseen.has(name) || (name.startsWith("data-") && !readable.has(name))) return;
      visitChildren(node, readable.has(name));
      return;
    }
    if (node.type === "Literal" && typeof node["value"] === "string" && isText(node["value"], isReadable))
      report(node, node["value"]);
    if (node.type === "TemplateLiteral") {
      const quasis = (node["quasis"] as readonly { readonly value: { readonly cooked: string } }[]).map(
        ({ value }) => value.cooked,
      );
      if (isText(quasis.join("0"), isReadable)) report(node, quasis.join("…"));
    }
    visitChildren(node, isReadable);
  };
  const visitChildren = (node: Node, isReadable: boolean): void => {
    for (const [key, value] of Object.entries(node)) {
      if (key === "parent") continue;
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, isReadable);
    }
  };
  visit(parseSync(path, text).program as unknown as Node, false);
  return found;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Errors that stop the program are read by developers. */
const isThrow = ({ type }: Node): boolean => type === "ThrowStatement";

const isText = (value: string, isReadable: boolean): boolean =>
  isReadable
    ? /[A-Za-z]{2}/.test(value)
    : /^[A-Z][a-z]+(?:[.…?!:]|$)|^[A-Z][a-z']* \S|[a-z]+ [a-z]+ [a-z]+|^[a-z]+ [a-z]+[.…]$/.test(value.trim());
