import "./styles/index.css";

/**
 * Entry point of the page. React and the page are fetched together but run as two tasks: a single task would block a slow
 * machine noticeably.
 */
const react = import("react-dom/client");
const start = import("./shell/start.tsx");

await react;
const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
(await start).startPage(root);
