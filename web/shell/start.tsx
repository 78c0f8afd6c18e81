import { StrictMode, Suspense, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { followLooks } from "../state/look.ts";
import { createPage, PageContext } from "../state/page.ts";
import { App } from "./app.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { lazyChunk } from "../ui/lazy-chunk.ts";

const SharedPage = lazyChunk(() => import("../share/shared-page.tsx"));

/** Wires the state once and draws it. Everything the page knows comes from the API and its streams. */
export function startPage(root: HTMLElement): void {
  const token = /^\/s\/([\w-]{43})$/.exec(location.pathname)?.[1];
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary>{token === undefined ? drawApp() : drawShared(token)}</ErrorBoundary>
    </StrictMode>,
  );
}

function drawApp(): ReactNode {
  const page = createPage();
  followLooks(page.keep);
  return (
    <PageContext value={page}>
      <App />
    </PageContext>
  );
}

/** No app around it: whoever reads it may not be signed in. */
const drawShared = (token: string): ReactNode => (
  <Suspense>
    <SharedPage token={token} />
  </Suspense>
);
