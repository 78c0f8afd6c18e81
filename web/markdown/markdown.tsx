import { memo, Suspense } from "react";
import { lazyChunk } from "../ui/lazy-chunk.ts";

/** The renderer and its grammars come in a chunk of their own; until then the text is there as it was written. */
const Rendered = lazyChunk(() => import("./rendered.tsx"));

export const loadMarkdown = (): void => void import("./rendered.tsx");

type Props = { readonly text: string; readonly streaming: boolean };

export const Markdown = memo(({ text, streaming }: Props) => (
  <Suspense fallback={<PlainText text={text} />}>
    <Rendered text={text} streaming={streaming} />
  </Suspense>
));

export const PlainText = ({ text }: { readonly text: string }) => (
  <div dir="auto" className="[unicode-bidi:plaintext] leading-relaxed wrap-anywhere whitespace-pre-wrap">
    {text}
  </div>
);
