import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { toSafeHref } from "../lib/links.ts";
import Rendered from "./rendered.tsx";

const render = (text: string, streaming = false) =>
  renderToStaticMarkup(<Rendered text={text} streaming={streaming} />);

test.each([
  "![a bird](https://example.com/bird.png)",
  "![](http://example.com/x.svg)",
  "![pixel][1]\n\n[1]: https://example.com/pixel.gif",
  '<img src="https://example.com/x.png">',
  '<b>bold</b> <iframe src="https://example.com"></iframe>',
  "<script>alert(1)</script>",
  '<p>\n<video src="https://example.com/v.mp4" autoplay></video>\n</p>',
  '<svg onload="alert(1)"><use href="https://example.com/x.svg#a"/></svg>',
  "[![inner](https://example.com/in.png)](https://example.com)",
])("renders %s without loading anything or creating elements", (text) => {
  const html = render(text);
  expect(html).not.toMatch(/<(img|iframe|script|video|svg|audio|object|embed|link|style|b)\b/);
  expect(html).not.toMatch(/<[^>]*\s(src|srcset|poster|onload)=/);
});

test("renders an image as a link with its alt text", () => {
  expect(render("![a bird](https://example.com/bird.png)")).toContain('href="https://example.com/bird.png"');
  expect(render("![a bird](https://example.com/bird.png)")).toContain("Image: a bird");
});

test("shows raw HTML as text", () => {
  expect(render("a <b>bold</b> word")).toContain("&lt;b&gt;bold&lt;/b&gt;");
});

test("opens links in a new tab without a referrer", () => {
  expect(render("[x](https://example.com)")).toContain('rel="noopener noreferrer nofollow"');
});

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc/passwd",
  "//example.com",
  "/t/x",
  "blob:http://localhost/x",
])("renders a link to %s as text", (url) => {
  expect(toSafeHref(url)).toBeNull();
  expect(render(`[x](<${url}>)`)).not.toContain("href=");
});

test("closes incomplete Markdown while streaming", () => {
  expect(render("some **bold wor", true)).toContain("<strong>bold wor</strong>");
  expect(render("some **bold wor", false)).not.toContain("<strong>");
});

test("keeps the text of code in any language", () => {
  const html = render("```ts\nconst a = '<b>';\n```\n\n```\nplain\n```\n\n```nosuch\nx\n```");
  expect(html).toContain("const a = &#x27;&lt;b&gt;&#x27;;");
  expect(html).toContain("plain");
  expect(html.match(/<pre/g)).toHaveLength(3);
});

test("renders tables and lists", () => {
  expect(render("|a|b|\n|---|---|\n|1|2|")).toContain("<td>1</td>");
  expect(render("1. one\n2. two")).toContain('<ol dir="auto">');
});
