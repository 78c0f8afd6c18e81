import { expect, test } from "vitest";
import { toPlainMarkdown } from "./plain-markdown.ts";

test("removes Markdown's marks and link targets and keeps the words", () => {
  expect(toPlainMarkdown("# The **red** bird")).toBe("The red bird");
  expect(toPlainMarkdown("See [the survey](https://example.com/a) and ![a red bird](https://example.com/b.png).")).toBe(
    "See the survey and a red bird.",
  );
  expect(toPlainMarkdown("*Rubicola* is `small`, 2 * 3 * 4")).toBe("Rubicola is small, 2 * 3 * 4");
  expect(toPlainMarkdown("```ts\nconst a = 1;\n```")).toBe("\nconst a = 1;\n");
});
