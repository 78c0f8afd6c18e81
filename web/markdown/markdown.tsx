import { memo, Suspense } from "react";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import { PlainText } from "../ui/plain-text.tsx";

/** The renderer is a separate chunk; until it is loaded the text is shown unformatted. */
const Rendered = lazyChunk(() => import("./rendered.tsx"));

export const loadMarkdown = (): void => void import("./rendered.tsx");

type Props = { readonly text: string; readonly streaming: boolean };

export const Markdown = memo(({ text, streaming }: Props) => (
  <ErrorBoundary fallback={<PlainText text={text} />}>
    <Suspense fallback={<PlainText text={text} />}>
      <Rendered text={text} streaming={streaming} />
    </Suspense>
  </ErrorBoundary>
));
