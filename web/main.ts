import "./styles/index.css";
import "react-dom/client";
import { loadLanguage } from "./languages/load-language.ts";

/**
 * Entry point of the page. React and the page are fetched together but run as two tasks: a single task would block a slow
 * machine noticeably. The language comes first, because modules read their strings when they are evaluated. Not awaited at the
 * top level: the page's chunk imports this one, so each would wait for the other.
 */
async function start(): Promise<void> {
  await loadLanguage();
  const { startPage } = await import("./shell/start.tsx");
  const root = document.getElementById("root");
  if (!root) throw new Error("index.html has no #root");
  await startPage(root);
}

void start();
