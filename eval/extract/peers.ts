import { Readability } from "@mozilla/readability";
import { Defuddle } from "defuddle/node";
import { parseHTML } from "linkedom";

/** Each takes a page as text, as ours does, and gives the HTML of its main content. Neither asks the network. */
export const peers: Readonly<Record<string, (html: string, url: string) => Promise<string>>> = {
  readability: async (html) => new Readability(parseHTML(html).document).parse()?.content ?? "",
  defuddle: async (html, url) => (await silently(() => Defuddle(html, url, { useAsync: false }))).content,
};

/** Defuddle logs pages it cannot parse to the console. */
async function silently<T>(act: () => Promise<T>): Promise<T> {
  const { log, warn, error } = console;
  Object.assign(console, { log: () => {}, warn: () => {}, error: () => {} });
  try {
    return await act();
  } finally {
    Object.assign(console, { log, warn, error });
  }
}

const blocks = new Set(
  (
    "p div section article main aside header footer nav ul ol li dl dt dd table thead tbody tfoot tr td th h1 h2 h3 h4 h5 " +
    "h6 pre blockquote figure figcaption hr br form fieldset details summary address"
  ).split(" "),
);
type Node = ReturnType<typeof parseHTML>["document"]["body"];

/** The text of HTML with a line for each block, so that words of neighbors do not run together. */
export function toText(html: string): string {
  let text = "";
  const visit = (node: Node): void => {
    if (node.nodeType === 3) text += node.data;
    if (node.nodeType !== 1 || node.localName === "script" || node.localName === "style") return;
    const edge = blocks.has(node.localName) ? "\n" : "";
    text += edge;
    for (const child of node.childNodes) visit(child);
    text += edge;
  };
  visit(parseHTML(`<html><body>${html}</body></html>`).document.body);
  return text;
}
