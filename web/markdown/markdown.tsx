import { memo, Suspense } from "react";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { preloadedChunk } from "../lib/lazy-chunk.ts";
import { PlainText } from "../ui/plain-text.tsx";

/** The renderer is a separate chunk; until it is loaded the text is shown unformatted. */
const [Rendered, load] = preloadedChunk(() => import("./rendered.tsx"));

export const loadMarkdown = load;

type Props = { readonly text: string; readonly streaming: boolean };

export const Markdown = memo(({ text, streaming }: Props) => (
  <ErrorBoundary fallback={<PlainText text={text} />}>
    <Suspense fallback={<PlainText text={text} />}>
      <Rendered text={text} streaming={streaming} />
    </Suspense>
  </ErrorBoundary>
));
