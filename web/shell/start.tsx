import { StrictMode, Suspense, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { followLooks } from "../state/look.ts";
import { RequestErrorContext } from "../lib/use-request.ts";
import { PageContext } from "../state/page.ts";
import { isSignedOut } from "../state/session.ts";
import { App } from "./app.tsx";
import { createPage } from "./create-page.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const SharedPage = lazyChunk(() => import("../share/shared-page.tsx"));

/** Creates the page's state once and renders it. All data comes from the API and its event streams. */
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
  followLooks(page.storage);
  const onError = (error: unknown) => {
    if (isSignedOut(error)) page.session.signOut();
  };
  return (
    <PageContext value={page}>
      <RequestErrorContext value={onError}>
        <App />
      </RequestErrorContext>
    </PageContext>
  );
}

/** A shared thread is rendered without the app: its reader may not be signed in. */
const drawShared = (token: string): ReactNode => (
  <Suspense>
    <SharedPage token={token} />
  </Suspense>
);
