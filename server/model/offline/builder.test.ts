import { expect, test } from "vitest";
import { findBuilderCalls } from "./builder.ts";

const callsFor = (text: string) => findBuilderCalls(text).map(({ name, input }) => [name, input]);
const app = (text: string): string => String(findBuilderCalls(text).at(-1)?.input["content"]);

test.each([
  ["show me src/App.tsx", ["view_file", { file_path: "src/App.tsx" }]],
  ["open `index.html`", ["view_file", { file_path: "index.html" }]],
  [
    "rename src/App.tsx to src/Page.tsx",
    ["rename_file", { original_file_path: "src/App.tsx", new_file_path: "src/Page.tsx" }],
  ],
])("understands: %s", (text, step) => expect(callsFor(text)).toEqual([step]));

test("writes index.html, its script and the app with the requested title", () => {
  expect(
    callsFor("create a page called Granite & Sons").map(([, input]) => (input as { file_path: string }).file_path),
  ).toEqual(["index.html", "src/main.tsx", "src/App.tsx"]);
  expect(String(findBuilderCalls("create a page called Granite & Sons")[0]?.input["content"])).toContain(
    "<title>Granite &amp; Sons</title>",
  );
  expect(app("create a page called Granite & Sons")).toContain('<h1>{"Granite & Sons"}</h1>');
  expect(app("create a page called Granite & Sons")).not.toContain("useState");
});

test("adds a counter when one is asked for", () => {
  expect(app("build me a counter app")).toContain("setCount(count + 1)");
  expect(app("make a page called Tally with a counter")).toMatch(/Tally[^]*setCount/);
  expect(app("create an app")).toContain("setCount");
});

test.each(["What is React?", "rename the task to Order", "create a task called index", "I opened the page yesterday"])(
  "ignores: %s",
  (text) => expect(callsFor(text)).toEqual([]),
);
