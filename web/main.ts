import "./styles/index.css";
import { loadLanguage } from "./languages/load-language.ts";

/**
 * Entry point of the page. React and the page are fetched together but run as two tasks: a single task would block a slow
 * machine noticeably. The language comes first, because modules read their strings when they are evaluated.
 */
const react = import("react-dom/client");
await loadLanguage();
const start = import("./shell/start.tsx");

await react;
const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
(await start).startPage(root);
