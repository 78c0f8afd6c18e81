import { StrictMode, Suspense, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { followLooks } from "../state/look.ts";
import { RequestErrorContext } from "../lib/use-request.ts";
import { PageContext } from "../state/page.ts";
import { isSignedOut } from "../state/session.ts";
import { App } from "./app.tsx";
import { createPage } from "./create-page.ts";
import { loadThreadView } from "./late-loads.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { accountChunk, lazyChunk } from "../lib/lazy-chunk.ts";
import { createClient } from "../../protocol/client.ts";
import { createBrowserStorage } from "../lib/storage.ts";
import { confirmUser } from "../state/account/stored-user.ts";
import { followUser } from "../state/account/follow-user.ts";

const LinkPage = accountChunk(() => import("../account/link-page.tsx"));
const SharedPage = lazyChunk(() => import("../share/shared-page.tsx"));

/** Creates the page's state once and renders it. All data comes from the API and its event streams. */
export async function startPage(root: HTMLElement): Promise<void> {
  const token = /^\/s\/([\w-]{43})$/.exec(location.pathname)?.[1];
  if (token === undefined) await confirmUser(createBrowserStorage(), () => createClient().getMe({ params: {} }));
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary>{draw(token)}</ErrorBoundary>
    </StrictMode>,
  );
}

function draw(token: string | undefined): ReactNode {
  if (token !== undefined) return drawShared(token);
  return /^\/(setup|invite|reset|email)$/.test(location.pathname) ? drawLink() : drawApp();
}

function drawApp(): ReactNode {
  const page = createPage();
  followLooks(page.storage);
  // Requested before the frame is rendered.
  if (page.route.get().threadId !== null) loadThreadView();
  const onError = (error: unknown) => {
    if (isSignedOut(error)) page.session.signOut();
  };
  followUser(page.storage, page.session);
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

/** So is the page of a link that signs in. */
const drawLink = (): ReactNode => (
  <Suspense>
    <LinkPage />
  </Suspense>
);
