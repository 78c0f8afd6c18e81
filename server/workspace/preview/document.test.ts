import { expect, test } from "vitest";
import type { CompileResult } from "./compile.ts";
import type { Entry } from "./workspace-plugin.ts";
import { listModules, toDocument } from "./document.ts";

const good: CompileResult = { ok: true, js: "1", css: "", warnings: [] };

async function write(html: string, built: CompileResult = good, path = "index.html") {
  const entries: Entry[] = [];
  const build = async (entry: Entry) => {
    entries.push(entry);
    return built;
  };
  const text = await toDocument({ html, path, root: "/preview/T/", seq: 7, has: () => true, build });
  return { text, entries };
}

const reporter =
  '<script src="/preview/T/-/reporter.js" data-root="/preview/T/" data-seq="7" data-page="index.html"></script>';

test("the reporter comes after the doctype and before any script", async () => {
  const { text } = await write("<!-- hi -->\n<!DOCTYPE html><script>early()</script><html><head></head></html>");
  expect(text).toBe(`<!-- hi -->\n<!DOCTYPE html>${reporter}<script>early()</script><html><head></head></html>`);
  expect((await write("<p>plain</p>")).text).toBe(`${reporter}<p>plain</p>`);
});

test("compiles modules with relative and root-relative URLs", async () => {
  const { text, entries } = await write(
    '<script type="module" src="/src/main.tsx"></script><script type="module" src="../b.js"></script><script src="c.ts"></script>',
    good,
    "pages/index.html",
  );
  expect(entries).toEqual([{ path: "src/main.tsx" }, { path: "b.js" }, { path: "pages/c.ts" }]);
  expect(text).toContain('<script type="module" src="/preview/T/-/build/src/main.tsx.js"></script>');
});

test("the styles of a module come before it", async () => {
  const { text } = await write('<script type="module" src="a.ts"></script>', { ...good, css: "p {}" });
  expect(text).toContain('<link rel="stylesheet" href="/preview/T/-/build/a.ts.css"><script type="module"');
});

test("an inline module is a separate entry with the page's line numbers", async () => {
  const html = '<p>\n<script type="module">\nimport "x";\n</script>\n<b></b>';
  const { text, entries } = await write(html);
  expect(entries).toEqual([{ path: "index.html#0", contents: '\n\nimport "x";\n' }]);
  expect(listModules(html, "index.html")).toEqual(entries);
  expect(text).toContain('src="/preview/T/-/build/index.html%230.js"');
  expect(text.split("\n").indexOf("<b></b>")).toBe(html.split("\n").indexOf("<b></b>"));
});

test("root-relative URLs are resolved against the workspace, others stay", async () => {
  const { text } = await write(
    '<img\n src="/a.png" alt="x &amp; y"><a href="https://example.com/">e</a><a href="//example.com/">f</a><img src="b.png"><script src="/c.js"></script>',
  );
  expect(text).toContain('src="/preview/T/a.png" alt="x &amp; y"');
  expect(text).toContain('<a href="https://example.com/">e</a><a href="//example.com/">f</a><img src="b.png">');
  expect(text).toContain('<script src="/preview/T/c.js" crossorigin="anonymous"></script>');
  expect(text.split("\n")).toHaveLength(2);
});

test("attribute values are escaped", async () => {
  const { text } = await write(`<img src="/x" title='"><script>evil()</script>'>`);
  expect(text).not.toContain("<script>evil()");
});

test("a page of many modules takes a bounded number of builds", async () => {
  const { entries } = await write("<script type=module>a</script>\n".repeat(5000));
  expect(entries).toHaveLength(60);
  expect(entries[59]?.contents).toBe(`${"\n".repeat(59)}a`);
});
