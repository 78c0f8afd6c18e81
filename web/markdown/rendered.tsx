import {
  isValidElement,
  memo,
  type ComponentProps,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { toJsxRuntime, type Components } from "hast-util-to-jsx-runtime";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toHast } from "mdast-util-to-hast";
import { gfm } from "micromark-extension-gfm";
import remend from "remend";
import { CitationMark } from "../sources/citation-mark.tsx";
import { markCitations } from "../sources/mark-citations.ts";
import { markdown as strings } from "../strings/markdown.ts";
import { CodeBlock } from "./code-block.tsx";
import { Diagram } from "./diagram.tsx";
import { connectPath, toSafeHref } from "../lib/links.ts";
import { displayMark, markMaths, readMarked, type MarkedFormula } from "./mark-maths.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { ScrollingTable } from "./scrolling-table.tsx";
import { PlainText } from "../ui/plain-text.tsx";
import { keepWhole } from "./keep-whole.ts";
import { toChunks } from "./to-chunks.ts";
import { drawHtml, markHtml } from "./draw-html.ts";
import { isCloser, readOpener } from "./fence.ts";
import { toHost } from "../lib/host.ts";
import { Image as ImageIcon } from "lucide-react";
import type { Element, Root } from "hast";
import { createSignal, useSignal } from "../lib/signal.ts";
import type { drawFormula } from "./draw-formula.ts";
import { loadChunk } from "../lib/lazy-chunk.ts";

/**
 * Renders a model's Markdown, complete or partial. Nothing is fetched for it: images become links, raw HTML stays text
 * except for a few tags, and only http(s) and mailto links work.
 */
const components = {
  a: ({ href, children, ...link }: ComponentProps<"a">) =>
    "data-footnote-ref" in link || "data-footnote-backref" in link ? (
      <FootnoteLink {...link} target={href?.slice(1) ?? ""}>
        {children}
      </FootnoteLink>
    ) : (
      <SafeLink href={href}>{children}</SafeLink>
    ),
  img: ({ src, alt }: ComponentProps<"img">) => <ImageLink src={typeof src === "string" ? src : ""} alt={alt ?? ""} />,
  pre: ({ children }: ComponentProps<"pre">) => <>{toCodeBlock(children)}</>,
  cite: CitationMark,
  code: ({ children }: ComponentProps<"code">) => {
    const formula = readMarked(toText(children));
    return formula ? <Formula {...formula} /> : <code dir="ltr">{children}</code>;
  },
  input: ({ checked }: ComponentProps<"input">) => (
    <input
      type="checkbox"
      disabled
      checked={checked === true}
      readOnly
      aria-label={checked ? strings.taskDone : strings.taskOpen}
    />
  ),
  td: ({ children, ...cell }: ComponentProps<"td">) => (
    <td {...cell} className={isLong(children) ? "long-cell" : undefined}>
      {children}
    </td>
  ),
  table: ({ children }: ComponentProps<"table">) => <ScrollingTable>{children}</ScrollingTable>,
} as Components;

const longCellCharacters = 40;

/** Whether a table's cell has a sentence or more, so that its column needs some width. */
const isLong = (children: ReactNode): boolean => toText(children).length >= longCellCharacters;

const syntax = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** `prefix`: starts the ids of footnotes, which several answers have. */
function toElements(markdown: string, isGrowing: boolean, prefix: string): ReactNode {
  const parsed = fromMarkdown(markdown, syntax);
  keepLineBreaks(parsed, markdown);
  const tree = toHast(parsed, { handlers: { html: markHtml }, clobberPrefix: prefix });
  if (tree.type !== "root") return null;
  drawHtml(tree, isGrowing);
  markCitations(tree, markdown);
  keepWhole(tree);
  if (isGrowing) markOpenCode(tree, markdown);
  // The direction follows the text of each block.
  for (const node of tree.children) if (node.type === "element") node.properties["dir"] ??= "auto";
  return toJsxRuntime(tree, { Fragment, jsx, jsxs, components });
}

type ParsedMarkdown = ReturnType<typeof fromMarkdown>;
type Child = ParsedMarkdown["children"][number];

/** Models break lines where they mean it, as in a poem: a line break in a paragraph is kept, as in most chats. Code has none. */
function keepLineBreaks(parent: { children: Child[] }, markdown: string): void {
  parent.children = parent.children.flatMap((node, index, all) => {
    if ("children" in node) keepLineBreaks(node as { children: Child[] }, markdown);
    return node.type === "text" ? splitLines(node, all[index - 1], markdown) : [node];
  });
}

function splitLines(node: Extract<Child, { type: "text" }>, previous: Child | undefined, markdown: string): Child[] {
  const [first = "", ...rest] = node.value.split("\n");
  const { position } = node;
  if (rest.length === 0 || !position) return [node];
  let offset = position.start.offset ?? 0;
  const nodes: Child[] = first === "" ? [] : [{ ...node, value: first }];
  for (const value of rest) {
    if (nodes.length > 0 || !endsLine(previous)) nodes.push({ type: "break" });
    // Citations look for their text from this offset on.
    offset = markdown.indexOf("\n", offset) + 1 || offset;
    nodes.push({ ...node, value, position: { ...position, start: { ...position.start, offset } } });
  }
  return nodes;
}

/** A display formula is a block, and `<br>` at the end of a line is a break already. */
const endsLine = (node: Child | undefined): boolean =>
  (node?.type === "html" && /^<br ?\/?>$/i.test(node.value)) ||
  (node?.type === "inlineCode" && node.value.startsWith(displayMark));

type Props = { readonly text: string; readonly streaming: boolean };

export default function Rendered({ text, streaming }: Props) {
  const chunks = toChunks(text);
  return (
    <div>
      {chunks.map((chunk, index) => (
        // A chunk keeps its index while text is appended. One that cannot be rendered, such as 3,000 nested quotes, is shown
        // as plain text.
        <ErrorBoundary key={index} fallback={<PlainText text={chunk} />}>
          <Chunk text={chunk} streaming={streaming && index === chunks.length - 1} />
        </ErrorBoundary>
      ))}
    </div>
  );
}

export const Chunk = memo(({ text, streaming }: Props) => {
  const prefix = useId();
  const marked = markMaths(text, streaming);
  return <div className="prose">{toElements(streaming ? remend(marked) : marked, streaming, prefix)}</div>;
});

type LinkProps = { readonly href: string | undefined; readonly title?: string; readonly children?: ReactNode };

const SafeLink = ({ href, title, children }: LinkProps) => {
  if (href === connectPath) return <a href={connectPath}>{children}</a>;
  const safe = toSafeHref(href);
  if (!safe) return <span>{children}</span>;
  return (
    <a href={safe} title={title} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
};

/** The id, and the label of a link back. */
type FootnoteLinkProps = ComponentProps<"a"> & { readonly target: string };

/** Leads to a footnote or back to its number. The address of the page stays that of the thread. */
const FootnoteLink = ({ target, children, ...link }: FootnoteLinkProps) => (
  <a
    {...link}
    href={`#${target}`}
    onClick={(event) => {
      event.preventDefault();
      const place = document.getElementById(decodeURIComponent(target));
      place?.setAttribute("tabindex", "-1");
      place?.scrollIntoView({ block: "center" });
      place?.focus({ preventScroll: true });
    }}
  >
    {children}
  </a>
);

/** A picture of another site is a link: loading it would tell that site who reads what (decision 28). */
const ImageLink = ({ src, alt }: { readonly src: string; readonly alt: string }) => {
  const host = toHost(src);
  return (
    <SafeLink href={src} title={strings.image.hint(host)}>
      <span className="image-link">
        <ImageIcon aria-hidden="true" className="size-4 flex-none" />
        <span dir="auto">{alt || strings.image.untitled}</span>
        {host && <span className="text-soft">{strings.image.show(host)}</span>}
      </span>
    </SafeLink>
  );
};

type CodeProps = ComponentProps<"code"> & { readonly "data-open"?: boolean };

function toCodeBlock(children: ReactNode): ReactNode {
  if (!isValidElement<CodeProps>(children)) return <pre>{children}</pre>;
  const { className, children: text, "data-open": isOpen = false } = children.props;
  const language = /language-([\w+#.-]+)/.exec(className ?? "")?.[1]?.toLowerCase() ?? "";
  const code = toText(text).replace(/\n$/, "");
  if (language === "math") return <Formula tex={code} kind="display" />;
  if (language === "mermaid") return <Diagram source={code} isComplete={!isOpen} />;
  return <CodeBlock code={code} language={language} />;
}

/** Marks fenced code whose end has not arrived: a diagram is drawn once its source is complete. */
function markOpenCode(parent: Root | Element, markdown: string): void {
  for (const node of parent.children) {
    if (node.type !== "element") continue;
    const [code] = node.children;
    if (node.tagName !== "pre" || code?.type !== "element") markOpenCode(node, markdown);
    else if (!isClosed(markdown.slice(node.position?.start.offset, node.position?.end.offset)))
      code.properties["dataOpen"] = true;
  }
}

function isClosed(block: string): boolean {
  const opener = readOpener(block.slice(0, block.indexOf("\n") + 1 || block.length));
  const last = block.lastIndexOf("\n") + 1;
  return opener === null || (last > 0 && isCloser(block.slice(last), opener));
}

const toText = (node: ReactNode): string =>
  typeof node === "string" ? node : Array.isArray(node) ? node.map((child) => toText(child as ReactNode)).join("") : "";

/** The typesetter and its fonts are large and most answers contain no formula: they are loaded with the first one. */
const typesetter = createSignal<typeof drawFormula | null>(null);

/** A typeset formula; its source until that is possible, or if it fails. */
const Formula = ({ tex, kind }: MarkedFormula) => {
  const draw = useSignal(typesetter);
  const container = useRef<HTMLSpanElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const isDisplay = kind === "display";
  const isDrawn = draw !== null && kind !== "open" && failure === null;
  useEffect(() => {
    if (!typesetter.get())
      void loadChunk(() => import("./draw-formula.ts")).then((loaded) => typesetter.set(loaded.drawFormula));
  }, []);
  useLayoutEffect(() => {
    if (draw && container.current && kind !== "open") setFailure(draw(container.current, tex, isDisplay));
  }, [draw, tex, kind, isDisplay]);
  return (
    <span className={isDisplay || kind === "open" ? "formula formula-display" : "formula"} dir="ltr">
      <span ref={container} hidden={!isDrawn} tabIndex={isDisplay ? 0 : undefined} />
      {!isDrawn && <code title={failure ?? undefined}>{tex}</code>}
    </span>
  );
};
