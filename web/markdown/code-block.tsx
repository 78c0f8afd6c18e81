import { WrapText } from "lucide-react";
import { memo, useDeferredValue, useEffect, useMemo, useState, type ReactNode } from "react";
import { createSignal, useSignal } from "../lib/signal.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { markdown as strings } from "../strings/markdown.ts";
import type { highlight, Tree } from "./highlight.ts";
import { loadChunk } from "../lib/lazy-chunk.ts";

/** Grammars are large and most answers contain no code: they are loaded with the first code block. */
const grammar = createSignal<typeof highlight | null>(null);

type Props = { readonly code: string; readonly language: string };

export const CodeBlock = memo(({ code, language }: Props) => {
  const [isWrapped, setWrapped] = useState(false);
  const settled = useDeferredValue(code);
  const toTree = useSignal(grammar);
  const tree = useMemo(() => toTree?.(settled, language) ?? null, [toTree, settled, language]);
  useEffect(() => {
    if (language && !grammar.get())
      void loadChunk(() => import("./highlight.ts")).then((loaded) => grammar.set(loaded.highlight));
  }, [language]);
  const isBehind = settled !== code;
  return (
    <figure className="group/code relative overflow-hidden rounded-xl bg-(--code-ground)" dir="ltr">
      <figcaption className="flex h-9 items-center justify-between ps-4 pe-1.5 text-xs text-soft">
        <span>{language || strings.code.noLanguage}</span>
        <span className="flex">
          <IconButton
            label={strings.code.wrap}
            aria-pressed={isWrapped}
            className={`size-7 ${isWrapped ? "text-ink" : ""}`}
            onClick={() => setWrapped(!isWrapped)}
          >
            <WrapText aria-hidden="true" className="size-4" />
          </IconButton>
          <CopyButton text={code} label={strings.code.copy} className="size-7" />
        </span>
      </figcaption>
      <pre
        tabIndex={0}
        aria-label={strings.code.label(language)}
        className={`overflow-x-auto px-4 pb-3.5 font-mono text-[0.84rem] leading-relaxed text-(--code-ink) [scrollbar-width:thin] focus-visible:-outline-offset-2 ${isWrapped ? "wrap-anywhere whitespace-pre-wrap" : ""}`}
      >
        <code>{tree && !isBehind ? toNodes(tree) : code}</code>
      </pre>
    </figure>
  );
});

function toNodes(tree: Tree): ReactNode[] {
  return tree.map((node, index) => {
    if (node.type === "text") return node.value;
    if (node.type !== "element") return null;
    const names = node.properties["className"];
    return (
      <span key={index} className={Array.isArray(names) ? names.join(" ") : ""}>
        {toNodes(node.children)}
      </span>
    );
  });
}
