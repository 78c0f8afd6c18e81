import { Check, Copy } from "lucide-react";
import { memo, useDeferredValue, useMemo, useState, type ReactNode } from "react";
import { highlight, type Tree } from "./highlight.ts";

type Props = { readonly code: string; readonly language: string };

export const CodeBlock = memo(({ code, language }: Props) => {
  const settled = useDeferredValue(code);
  const tree = useMemo(() => highlight(settled, language), [settled, language]);
  const isBehind = settled !== code;
  return (
    <figure className="group/code relative overflow-hidden rounded-xl bg-(--code-ground)" dir="ltr">
      <figcaption className="flex h-9 items-center justify-between ps-4 pe-1.5 text-xs text-soft">
        <span>{language || "text"}</span>
        <CopyCode code={code} />
      </figcaption>
      <pre
        tabIndex={0}
        aria-label={language ? `${language} code` : "code"}
        className="overflow-x-auto px-4 pb-3.5 font-mono text-[0.84rem] leading-relaxed text-(--code-ink) focus-visible:-outline-offset-2"
      >
        <code>{tree && !isBehind ? toNodes(tree) : code}</code>
      </pre>
    </figure>
  );
});

const CopyCode = ({ code }: { readonly code: string }) => {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const Icon = copied ? Check : Copy;
  return (
    <button type="button" className="icon-button size-7" aria-label={copied ? "Copied" : "Copy code"} onClick={() => void copy()}>
      <Icon aria-hidden="true" className="size-3.5" />
    </button>
  );
};

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
