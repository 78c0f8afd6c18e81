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
  '<b onclick="alert(1)" style="background:url(https://example.com/x.png)">bold</b>',
  '<details open ontoggle="alert(1)"><summary>x</summary><iframe src="https://example.com"></iframe></details>',
])("renders %s without loading anything or creating elements", (text) => {
  const html = render(text);
  expect(html).not.toMatch(/<(img|iframe|script|video|audio|object|embed|link|style)\b/);
  expect(html).not.toMatch(/<[^>]*\s(src|srcset|poster|onload|onclick)=/);
});

test("renders an image as a link that says why it is not loaded", () => {
  const html = render("![a bird](https://www.example.com/bird.png)");
  expect(html).toContain('href="https://www.example.com/bird.png"');
  expect(html).toContain("a bird");
  expect(html).toContain("Show at example.com");
  expect(html).toMatch(/title="Images of other sites are not loaded here/);
});

test("renders harmless HTML without its attributes, and other HTML as text", () => {
  expect(render("|a|\n|---|\n|one<br>two<br/>H<sub>2</sub>O|")).toContain("<td>one<br/>two<br/>H<sub>2</sub>O</td>");
  expect(render('Press <kbd class="x">Ctrl</kbd>, <B>**now**</B>')).toContain(
    "Press <kbd>Ctrl</kbd>, <b><strong>now</strong></b>",
  );
  expect(render("<details>\n<summary>More</summary>\n\n- one\n\n</details>\n\nafter")).toMatch(
    /<details dir="auto">\s*<summary>More<\/summary>\s*<ul>\s*<li>one<\/li>\s*<\/ul>\s*<\/details>\s*<p dir="auto">after/,
  );
  expect(render("a <blink>word</blink> <form>")).toContain("&lt;blink&gt;word&lt;/blink&gt; &lt;form&gt;");
  expect(render("the <b> tag, `<b>x</b>`, a </i>, x < y > z")).toContain(
    '<p dir="auto">the &lt;b&gt; tag, <code dir="ltr">&lt;b&gt;x&lt;/b&gt;</code>, a &lt;/i&gt;, x &lt; y &gt; z</p>',
  );
});

test("keeps HTML that is nested wrongly or endlessly readable", () => {
  expect(render("<b>one <i>two</b> three</i>")).toContain("<b>one &lt;i&gt;two</b> three&lt;/i&gt;");
  expect(render(`${"<b>".repeat(20_000)}deep`)).toContain("deep");
  expect(render("a <p>paragraph</p> in a paragraph")).toContain("a &lt;p&gt;paragraph&lt;/p&gt; in");
});

test("draws an element of a growing text before it is closed", () => {
  expect(render("H<sub>2", true)).toContain("H<sub>2</sub>");
  expect(render("H<sub>2", false)).toContain("H&lt;sub&gt;2");
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
  const sentence = "This sentence needs a column of a readable width.";
  expect(render(`|a|b|\n|---|---|\n|1|${sentence}|`)).toContain(`<td>1</td><td class="long-cell">${sentence}</td>`);
  expect(render("1. one\n2. two")).toContain('<ol dir="auto">');
});

test.each([false, true])("keeps line breaks in text, but not in code (streaming: %s)", (streaming) => {
  expect(render("An old *silent\npond*\na frog jumps", streaming)).toContain(
    '<p dir="auto">An old <em>silent<br/>\npond</em><br/>\na frog jumps</p>',
  );
  expect(render("- one\n  two\n- three\n\n> four\n> five", streaming).match(/<br\/>/g)).toHaveLength(2);
  expect(render("one<br>\ntwo  \nthree\\\nfour", streaming).match(/<br\/>/g)).toHaveLength(3);
  expect(render("The area is\n$$a^2$$\nin metres", streaming).match(/<br\/>/g)).toHaveLength(1);
  expect(render("`a\nb`\n\n```\nc\nd\n```\n\n|e|\n|---|\n|f|\n\n# g\n\nh", streaming)).not.toContain("<br");
});
