import { expect, test } from "vitest";
import { findBuilding } from "./asked.ts";

const asked = (text: string) => findBuilding(text).map(({ name, input }) => [name, input]);
const app = (text: string): string => String(findBuilding(text).at(-1)?.input["content"]);

test.each([
  ["show me src/App.tsx", ["view_file", { file_path: "src/App.tsx" }]],
  ["open `index.html`", ["view_file", { file_path: "index.html" }]],
  [
    "rename src/App.tsx to src/Page.tsx",
    ["rename_file", { original_file_path: "src/App.tsx", new_file_path: "src/Page.tsx" }],
  ],
  ["Please delete the file src/old.ts.", ["delete_file", { file_path: "src/old.ts" }]],
  ["search the files for useState(", ["search_files", { query: "useState\\(" }]],
  ["what does the console say?", ["read_console_logs", { search: "" }]],
  ["show the network requests", ["read_network_requests", { search: "" }]],
  ["create a file notes.md with Hello there", ["write_file", { file_path: "notes.md", content: "Hello there\n" }]],
  [
    "write src/a.ts:\n```ts\nexport const a = 1;\n```",
    ["write_file", { file_path: "src/a.ts", content: "export const a = 1;\n" }],
  ],
])("%s", (text, step) => expect(asked(text)).toEqual([step]));

test("a page is index.html with what it loads, under the title that was asked for", () => {
  expect(
    asked("create a page called Granite & Sons").map(([, input]) => (input as { file_path: string }).file_path),
  ).toEqual(["index.html", "src/main.tsx", "src/App.tsx"]);
  expect(String(findBuilding("create a page called Granite & Sons")[0]?.input["content"])).toContain(
    "<title>Granite &amp; Sons</title>",
  );
  expect(app("create a page called Granite & Sons")).toContain('<h1>{"Granite & Sons"}</h1>');
  expect(app("create a page called Granite & Sons")).not.toContain("useState");
});

test("a counter counts", () => {
  expect(app("build me a counter app")).toContain("setCount(count + 1)");
  expect(app("make a page called Tally with a counter")).toMatch(/Tally[^]*setCount/);
  expect(app("create an app")).toContain("setCount");
});

test.each(["What is React?", "rename the task to Order", "create a task called index", "I opened the page yesterday"])(
  "%s asks nothing of a workspace",
  (text) => expect(asked(text)).toEqual([]),
);
