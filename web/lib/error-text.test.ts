import { expect, test } from "vitest";
import { toSentence } from "./error-text.ts";

test("shows an error about a field without its technical beginning", () => {
  const show = (message: string, code = "invalid") => toSentence({ code, message });
  expect(show('The body "key" is not valid: this does not look like a key')).toBe("This does not look like a key.");
  expect(show("The query is not valid: Too long!")).toBe("Too long!");
  expect(show("The model was not found.")).toBe("The model was not found.");
  expect(show("The body is not valid: a quote of a page", "conflict")).toBe("The body is not valid: a quote of a page");
});
