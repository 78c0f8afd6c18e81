import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { followLooks } from "../state/look.ts";
import { createPage, PageContext } from "../state/page.ts";
import { App } from "./app.tsx";

/** Wires the state once and draws it. Everything the page knows comes from the API and its streams. */
export function startPage(root: HTMLElement): void {
  const page = createPage();
  followLooks(page.keep);
  createRoot(root).render(
    <StrictMode>
      <PageContext value={page}>
        <App />
      </PageContext>
    </StrictMode>,
  );
}
