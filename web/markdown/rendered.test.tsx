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
])("%s loads nothing and makes no markup of its own", (text) => {
  const html = render(text);
  expect(html).not.toMatch(/<(img|iframe|script|video|svg|audio|object|embed|link|style|b)\b/);
  expect(html).not.toMatch(/<[^>]*\s(src|srcset|poster|onload)=/);
});

test("an image becomes a link that says what it shows", () => {
  expect(render("![a bird](https://example.com/bird.png)")).toContain('href="https://example.com/bird.png"');
  expect(render("![a bird](https://example.com/bird.png)")).toContain("Image: a bird");
});

test("raw HTML stays readable as the text it is", () => {
  expect(render("a <b>bold</b> word")).toContain("&lt;b&gt;bold&lt;/b&gt;");
});

test("links open elsewhere and tell nothing of us", () => {
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
])("a link to %s is only text", (url) => {
  expect(toSafeHref(url)).toBeNull();
  expect(render(`[x](<${url}>)`)).not.toContain("href=");
});

test("half-written Markdown is closed while it streams", () => {
  expect(render("some **bold wor", true)).toContain("<strong>bold wor</strong>");
  expect(render("some **bold wor", false)).not.toContain("<strong>");
});

test("code keeps its text, whatever its language", () => {
  const html = render("```ts\nconst a = '<b>';\n```\n\n```\nplain\n```\n\n```nosuch\nx\n```");
  expect(html).toContain("const a = &#x27;&lt;b&gt;&#x27;;");
  expect(html).toContain("plain");
  expect(html.match(/<pre/g)).toHaveLength(3);
});

test("a table and a list are drawn as such", () => {
  expect(render("|a|b|\n|---|---|\n|1|2|")).toContain("<td>1</td>");
  expect(render("1. one\n2. two")).toContain("<ol>");
});
