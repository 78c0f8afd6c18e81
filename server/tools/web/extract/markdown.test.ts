import { describe, expect, test } from "vitest";
import { layOut } from "./layout.ts";
import { parseTree } from "./tree.ts";
import { renderMarkdown } from "./markdown.ts";

const render = (html: string): string =>
  renderMarkdown(layOut(parseTree(html)).root, {
    url: "https://example.org/dir/page",
    isKept: () => true,
    isShown: () => true,
  });

describe("Markdown", () => {
  test.each([
    ["headings", "<h1>One</h1><h3>Three <em>x</em></h3>", "# One\n\n### Three *x*"],
    ["headings without signs and bold", '<h2><b>Two</b><a href="#two">¶</a></h2>', "## Two"],
    ["paragraphs and breaks", "<p>a\n b<br>c</p><div>d</div>", "a b  \nc\n\nd"],
    ["emphasis", "<p><b>a</b> <i> b </i>c <del>d</del> <strong></strong></p>", "**a** *b* c ~~d~~"],
    ["lists", "<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n\n- b\n\n  - c"],
    ["numbered lists", '<ol start="3"><li>a<li>b</ol>', "3. a\n4. b"],
    ["quotations", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"],
    ["terms", "<dl><dt>a</dt><dd>b</dd></dl>", "**a**\n\nb"],
    ["inline code", "<p>use <code>a * b</code> and <code>`x`</code></p>", "use `a * b` and `` `x` ``"],
    ["images as their text", '<p>a <img src="x.png" alt="A  cat"></p><img alt="">', "a [image: A cat]"],
    ["pictures between paragraphs", '<p>a</p><figure><img alt="A cat"></figure><p>b</p>', "a\n\n[image: A cat]\n\nb"],
    ["entities", "<p>a &lt;b&gt; &amp; c</p>", "a \\<b> & c"],
    [
      "marks that are text",
      "<p>2 * 3 and snake_case and _x_</p><p># no heading</p><p>1. no list</p>",
      "2 \\* 3 and snake_case and \\_x\\_\n\n\\# no heading\n\n1\\. no list",
    ],
  ])("%s", (_, html, expected) => {
    expect(render(html)).toBe(expected);
  });

  test.each([
    ["absolute", '<a href="../x?a=1&amp;b=(2)">t</a>', "[t](https://example.org/x?a=1&b=%282%29)"],
    [
      "of a block",
      '<a href="/x"><h2>t</h2><p>u</p></a>',
      "## [t](https://example.org/x)\n\n[u](https://example.org/x)",
    ],
    ["scripts dropped", '<a href="javascript:alert(1)">t</a>', "t"],
    ["scripts with white space dropped", '<a href=" java\nscript:alert(1)">t</a>', "t"],
    ["data dropped", '<a href="data:text/html,x">t</a>', "t"],
    ["places in the page dropped", '<a href="#top">t</a>', "t"],
    ["broken URLs dropped", '<a href="http://[">t</a>', "t"],
    ["without words dropped", '<p>a<a href="/x"> </a>b</p>', "a b"],
    ["emphasis inside", '<a href="/x"><b>t</b></a>', "[**t**](https://example.org/x)"],
  ])("links: %s", (_, html, expected) => {
    expect(render(html)).toBe(expected);
  });

  test.each([
    ['<pre><code class="language-ts">const a = 1;\n  b();\n</code></pre>', "```ts\nconst a = 1;\n  b();\n```"],
    ['<div class="highlight-python3"><pre>def f():\n    pass</pre></div>', "```python3\ndef f():\n    pass\n```"],
    ["<pre><div>one</div><div>two</div></pre>", "```\none\ntwo\n```"],
    ["<pre>a ``` b</pre>", "````\na ``` b\n````"],
  ])("code keeps its lines, language and backticks: %s", (html, expected) => {
    expect(render(html)).toBe(expected);
  });

  test("renders a data table with escaped bars", () => {
    expect(
      render(
        "<table><caption>c</caption><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td><p>x</p><p>y</p></td></tr><tr><td>z</table>",
      ),
    ).toBe("c\n\n| a | b |\n| --- | --- |\n| 1\\|2 | x y |\n| z |  |");
  });

  test("does not render a layout table as a table", () => {
    expect(render("<table><tr><td><h2>a</h2><p>b</p></td></tr></table>")).toBe("## a\n\nb");
    expect(
      render(
        "<table><tr><td>a</td><td><table><tr><td>b</td></tr></table></td></tr><tr><td>c</td><td>d</td></tr></table>",
      ),
    ).toBe("a\n\nb\n\nc\n\nd");
  });
});
