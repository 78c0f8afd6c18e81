import { describe, expect, test } from "vitest";
import { parseTree } from "./tree.ts";
import { readMetadata } from "./metadata.ts";

const read = (html: string) => readMetadata(parseTree(html), "https://example.org/a/b?utm=1");

describe("metadata", () => {
  test("returns nulls for a page without metadata", () => {
    expect(read("<p>a</p>")).toEqual({
      title: null,
      author: null,
      date: null,
      canonicalUrl: null,
      lang: null,
      types: "",
    });
  });

  test.each([
    ["without the site's name", "<title>How to bake good bread - The Baker</title>", "How to bake good bread"],
    [
      "as the heading where the title holds it",
      "<title>Site: Bread at home | x</title><h1>Bread at home</h1>",
      "Bread at home",
    ],
    [
      "as the page gives it to others",
      '<meta property="og:title" content="Bread &amp; butter"><title>x</title>',
      "Bread & butter",
    ],
    ["whole where parts are short", "<title>Bread - Butter</title>", "Bread - Butter"],
    ["from the heading where there is no title", "<h1> Bread </h1>", "Bread"],
  ])("title %s", (_, html, title) => {
    expect(read(html).title).toBe(title);
  });

  test.each([
    [
      '<script type="application/ld+json">{"@graph":[{"@type":"Organization","name":"O"},{"@type":"NewsArticle","author":[{"name":"A"},{"name":"B"}],"datePublished":"2025-03-05T10:00:00Z"}]}</script>',
      "A, B",
      "2025-03-05T10:00:00Z",
    ],
    [
      '<meta name="author" content="By Ann Lee"><meta property="article:published_time" content="2024-01-02">',
      "Ann Lee",
      "2024-01-02",
    ],
    [
      '<span class="byline">By Ann Lee</span><time datetime="2024-01-02T03:04:05+02:00">x</time>',
      "Ann Lee",
      "2024-01-02T03:04:05+02:00",
    ],
    ['<a rel="author">Ann Lee</a><time>March 5th, 2025</time>', "Ann Lee", "2025-03-05"],
    [
      '<meta name="author" content="https://example.org/ann"><time>3/5/2025</time><time datetime="2025-13-40">',
      null,
      null,
    ],
  ])("author and date: %s", (html, author, date) => {
    const found = read(html);
    expect([found.author, found.date]).toEqual([author, date]);
  });

  test("skips broken JSON-LD and reads the rest", () => {
    const html =
      '<script type="application/ld+json">{"a":</script><script type="application/ld+json">{"@type":"BlogPosting","headline":"A good headline"}</script>';
    expect(read(html)).toMatchObject({ title: "A good headline", types: expect.stringContaining("BlogPosting") });
  });

  test("the canonical URL is an absolute http(s) URL", () => {
    expect(read('<link rel="canonical" href="/a/b">').canonicalUrl).toBe("https://example.org/a/b");
    expect(
      read('<link rel="canonical" href="javascript:x"><meta property="og:url" content="https://e.org/">').canonicalUrl,
    ).toBe("https://e.org/");
  });

  test("reads the page's language", () => {
    expect(read('<html lang="pt-BR">').lang).toBe("pt-BR");
  });
});
