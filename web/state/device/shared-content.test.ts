import { expect, test } from "vitest";
import { joinTexts } from "./shared-content.ts";

test("texts of a share are joined without those that are part of another one", () => {
  const join = (title: string, text: string, url: string) => joinTexts({ title, text, url });
  expect(join("A page", "Read this", "https://example.com/")).toBe("A page\nRead this\nhttps://example.com/");
  expect(join("", "Read https://example.com/", "https://example.com/")).toBe("Read https://example.com/");
  expect(join("A page", "A page", "")).toBe("A page");
  expect(join(" ", "", "")).toBe("");
});
