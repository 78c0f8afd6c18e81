import { expect, test } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { toPrintedHtml } from "./markdown-to-html.ts";

test.each([
  ["a paragraph\nof two lines", "<p>a paragraph\nof two lines</p>"],
  ["## Title\ntext", "<h4>Title</h4>\n<p>text</p>"],
  ["a\n\n---\n\nb", "<p>a</p>\n<hr>\n<p>b</p>"],
  ["```js\na < b\n\n# c\n```\nafter", "<pre><code>a &lt; b\n\n# c</code></pre>\n<p>after</p>"],
  ["````\n```\n````", "<pre><code>```</code></pre>"],
  ["```\nnever closed", "<pre><code>never closed</code></pre>"],
  ["> a\n> > b", "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</blockquote>"],
  ["- a\n- b\n\nc", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>c</p>"],
  ["3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
  ["1. a\n   - b\n2. c", "<ol>\n<li><p>a</p>\n<ul>\n<li>b</li>\n</ul></li>\n<li>c</li>\n</ol>"],
  ["- a\n  ```\n  code\n  ```", "<ul>\n<li><p>a</p>\n<pre><code>code</code></pre></li>\n</ul>"],
  ["- a\n1. b", "<ul>\n<li>a</li>\n</ul>\n<ol>\n<li>b</li>\n</ol>"],
  [
    "|a|b|\n|-|:-:|\n|1|2|\nend",
    "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>\n<p>end</p>",
  ],
  ["a | b", "<p>a | b</p>"],
  [
    "**bold** and *it* and `a*b*` and ~~old~~",
    "<p><strong>bold</strong> and <em>it</em> and <code>a*b*</code> and <del>old</del></p>",
  ],
  ["2 * 3 * 4", "<p>2 * 3 * 4</p>"],
  ["[a *b*](https://x.test/a_b?c=1&d=2)", '<p><a href="https://x.test/a_b?c=1&amp;d=2">a <em>b</em></a></p>'],
  ["[1] [t](<https://x.test/>)", '<p>[1] <a href="https://x.test/">t</a></p>'],
  ["![pixel](https://x.test/p.png)", '<p><a href="https://x.test/p.png">pixel</a></p>'],
  ["[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>"],
  ['[a](https://x.test/"onclick="alert`1`)', '<p><a href="https://x.test/&quot;onclick=&quot;alert`1`">a</a></p>'],
  ["a & <b>", "<p>a &amp; &lt;b&gt;</p>"],
])("%j becomes %j", (markdown, html) => {
  expect(toPrintedHtml(markdown)).toBe(html);
});

const pieces = [
  "- ",
  "1. ",
  "> ",
  "# ",
  "```",
  "|",
  "|-|",
  "*",
  "**",
  "`",
  "[",
  "](",
  "https://a.b",
  ")",
  "<",
  '"',
  "\n",
  "\n\n",
  "  ",
  "a",
];

test("no text can add a tag or an attribute", () => {
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((all) => all.join(""));
  const foreign =
    /<(?!\/?(?:p|h[3-6]|hr|pre|code|blockquote|ul|ol|li|table|tr|th|td|strong|em|del|a)(?: (?:href|start)="[^"<>]*")?>)/;
  fc.assert(fc.property(text, (markdown) => !foreign.test(toPrintedHtml(markdown))));
});

test("the time is proportional to the length", () => {
  for (const piece of pieces) {
    const startedAt = performance.now();
    toPrintedHtml(piece.repeat(100_000 / piece.length));
    expect(performance.now() - startedAt, piece).toBeLessThan(5_000);
  }
});
