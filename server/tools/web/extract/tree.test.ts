import { describe, expect, test } from "vitest";
import { parseTree, type Child } from "./tree.ts";

const print = (node: Child): string =>
  typeof node === "string" ? node : `${node.tag}(${node.children.map(print).join(" ")})`;
const parse = (html: string): string => parseTree(html).children.map(print).join(" ");

describe("parseTree", () => {
  test.each([
    ["a paragraph ends where the next begins", "<p>a<p>b", "p(a) p(b)"],
    ["a paragraph ends where a block begins", "<p>a<div>b</div>", "p(a) div(b)"],
    [
      "list items end each other, but not those outside",
      "<ul><li>a<ul><li>b<li>c</ul><li>d</ul>",
      "ul(li(a ul(li(b) li(c))) li(d))",
    ],
    ["cells and rows end each other", "<table><tr><td>a<td>b<tr><td>c</table>", "table(tr(td(a) td(b)) tr(td(c)))"],
    ["terms and descriptions end each other", "<dl><dt>a<dd>b<dt>c</dl>", "dl(dt(a) dd(b) dt(c))"],
    [
      "formatting that is closed late leaves the blocks in it open",
      "<b>a<div>b</b>c</div>d",
      "b(a div(b c)) d".replace("b c", "bc"),
    ],
    ["an end tag without a beginning is nothing", "<div>a</span></p></section>b</div>", "div(ab)"],
    [
      "an end tag does not reach out of a cell",
      "<div><table><tr><td>a</div>b</table>c</div>",
      "div(table(tr(td(ab))) c)",
    ],
    ["a void element holds nothing", "<p>a<br>b<img src=x>c</p>", "p(a br() b img() c)"],
    [
      "a head that is not closed ends at the first content",
      "<head><title>t</title><div>a</div>",
      "head(title(t)) div(a)",
    ],
    ["comments, declarations and instructions are not there", "<!doctype html><!-- a --><?php b ?><p>c", "p(c)"],
    ["entities are text", "<p>a &amp; b &lt;i&gt; &#8364;&nbsp;", "p(a & b <i> €\u00a0)"],
  ])("%s", (_, html, expected) => {
    expect(parse(html)).toBe(expected);
  });

  test("attribute names are lower case, values decoded, and the first duplicate wins", () => {
    const [link] = parseTree(`<A HREF="/a?b=1&amp;c=2" href="/other" data-x>t</A>`).children;
    expect(typeof link === "object" && [...link.attributes]).toEqual([
      ["href", "/a?b=1&c=2"],
      ["data-x", ""],
    ]);
  });

  test("flattens elements deeper than the limit and keeps their text", () => {
    const tree = parseTree(`${"<div>".repeat(100_000)}deep${"</div>".repeat(100_000)}<p>after</p>`);
    let depth = 0;
    let text = "";
    const visit = (node: Child, level: number): void => {
      depth = Math.max(depth, level);
      if (typeof node === "string") text += node;
      else for (const child of node.children) visit(child, level + 1);
    };
    visit(tree, 0);
    expect(depth).toBeLessThan(250);
    expect(text).toBe("deepafter");
  });

  test("moves streamed parts to their place, also nested ones", () => {
    const html =
      '<main><template id="B:0"></template></main><div hidden id="S:0">a<template id="P:1"></template></div><div hidden id="S:1">b</div>';
    expect(parse(html)).toBe("main(div(a div(b))) div() div()");
  });

  test("keeps a streamed part hidden if it has no place", () => {
    expect(parse('<main></main><div hidden id="S:0">a</div>')).toBe("main() div(a)");
  });
});
