import { expect, test } from "vitest";
import { extract } from "./extract.ts";

test("returns a page as Markdown with its title", async () => {
  const text = `<html lang="en"><title>The mill</title><article><h1>The mill</h1><p>${"The wheel turned all night, and nobody slept. ".repeat(8)}</p></article>`;
  const page = await extract({ body: Buffer.from(text), text, type: "text/html", url: "https://example.org/" });
  expect(page).toMatchObject({ title: "The mill", lang: "en", kind: "html", needsJavaScript: false });
  expect(page.markdown).toContain("The wheel turned");
});
