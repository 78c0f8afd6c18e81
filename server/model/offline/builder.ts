import { toRequest } from "./intents.ts";
import type { Input, PlannedCall } from "./tool-results.ts";

const path = "[`\"']?(?<path>[\\w@()\\[\\].-]+(?:/[\\w@()\\[\\].-]+)*\\.\\w{1,8})[`\"']?";
const newPath = path.replace("path", "newPath");
const form = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`, "isu");

const viewForm = form(`(?:show|open|view|read|print)\\s+(?:me\\s+)?(?:the\\s+)?(?:file\\s+)?${path}`);
const renameForm = form(`(?:rename|move)\\s+(?:the\\s+)?(?:file\\s+)?${path}\\s+(?:to|into|as)\\s+${newPath}`);
const pageForm = form(
  `(?:create|make|build|write|start)\\s+(?:me\\s+)?(?:(?:an?|the)\\s+)?(?:new\\s+|simple\\s+|small\\s+)*(?<what>.*?)\\s*(?:web\\s*)?(?:page|app|application|site|website|counter)(?:[\\s,]+(?:called|named|titled|that says|with the title|saying)[\\s:]+(?<title>.+?))?(?:\\s+with\\s+a\\s+(?<part>counter|button))?`,
);

/** The calls that a plain request to a workspace needs; empty if the text asks for something else. */
export const findBuilderCalls = (text: string): readonly PlannedCall[] => {
  const request = toRequest(text);
  const match = (pattern: RegExp) => pattern.exec(request)?.groups;
  const call = (name: string, input: Input): readonly PlannedCall[] => [{ name, input }];
  const view = match(viewForm);
  if (view) return call("view_file", { file_path: view["path"] });
  const rename = match(renameForm);
  if (rename) return call("rename_file", { original_file_path: rename["path"], new_file_path: rename["newPath"] });
  const page = match(pageForm);
  if (page === undefined) return [];
  const { what = "", title = what, part } = page;
  return writeApp(toTitle(title), part !== undefined || /counter/i.test(what));
};

const toTitle = (text: string): string => {
  const plain = text
    .trim()
    .replace(/^["“'‘](.+)["”'’]$/u, "$1")
    .slice(0, 80)
    .toWellFormed();
  return plain === "" ? "Hello" : plain.charAt(0).toUpperCase() + plain.slice(1);
};

/** A page with a title, and a counter if one was asked for or nothing else was. */
const writeApp = (title: string, hasCounter: boolean): readonly PlannedCall[] => [
  write("index.html", toPage(title)),
  write("src/main.tsx", MAIN),
  write("src/App.tsx", toApp(title, hasCounter || title === "Hello")),
];

const write = (file: string, content: string): PlannedCall => ({
  name: "write_file",
  input: { file_path: file, content },
});

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

const toApp = (title: string, hasCounter: boolean): string => {
  const [before, button] = hasCounter
    ? [
        "  const [count, setCount] = useState(0);\n",
        "      <button onClick={() => setCount(count + 1)}>Count: {count}</button>\n",
      ]
    : ["", ""];
  return `${hasCounter ? 'import { useState } from "react";\n\n' : ""}export default function App() {
${before}  return (
    <main>
      <h1>{${JSON.stringify(title)}}</h1>
${button}    </main>
  );
}
`;
};
