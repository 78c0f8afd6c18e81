import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./shell/app.tsx";
import { createPage, PageContext } from "./state/page.ts";
import "./styles/index.css";

/** The page's front door: wires the state once and draws it. Everything it knows comes from the API and its streams. */
const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

createRoot(root).render(
  <StrictMode>
    <PageContext value={createPage()}>
      <App />
    </PageContext>
  </StrictMode>,
);
