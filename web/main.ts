import "./styles/index.css";

/**
 * The page's front door. React and the page itself are fetched together but run as two tasks: in one they would hold up a slow
 * machine for longer than a person takes to notice.
 */
const react = import("react-dom/client");
const start = import("./shell/start.tsx");

await react;
const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
(await start).startPage(root);
