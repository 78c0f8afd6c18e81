import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { layOut } from "../../server/tools/web/extract/layout.ts";
import { parseTree } from "../../server/tools/web/extract/tree.ts";
import { readSamples } from "./pages.ts";
import { toShortArticle } from "./short-articles.ts";
import { measureAccuracy, toWords } from "./words.ts";

test("an empty ground truth expects no text", () => {
  const folder = mkdtempSync(join(tmpdir(), "pages-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [id, truth] of Object.entries({
    "1": {},
    "2": { main_content: null },
    "3": { main_content: "Granite." },
  })) {
    writeFileSync(join(folder, `${id}.html.gz`), gzipSync("<p>Granite.</p>"));
    writeFileSync(
      join(folder, `${id}.json.gz`),
      gzipSync(JSON.stringify({ url: "https://a.example/", ground_truth: truth })),
    );
  }
  expect([...readSamples(folder)].map(({ wanted }) => wanted)).toEqual([[], [], ["granite"]]);
});

test("precision and recall are measured apart", () => {
  const wanted = toWords("the harbour opens at six");
  const { precision, recall, f1 } = measureAccuracy(
    toWords("the harbour opens at six read more subscribe share now"),
    wanted,
  );
  expect(recall).toBe(1);
  expect(precision).toBe(0.5);
  expect(f1).toBeCloseTo(2 / 3);
  expect(measureAccuracy([], wanted)).toEqual({ f1: 0, precision: 0, recall: 0 });
});

test("an article is cut short and everything around it stays", () => {
  const sentence = (at: number): string =>
    `Paragraph ${at} tells of the harbour, its cranes and the tide that comes in twice a day.`;
  const all = Array.from({ length: 60 }, (_, at) => sentence(at));
  const html = `<nav><a href="/">Home page of the paper</a></nav><article>${all.map((text) => `<p>${text}</p>`).join("")}</article><aside>Teaser: the mayor speaks about the new bridge today</aside>`;
  const content = all.join("\n");
  const sample = { id: "a", kind: "article", url: "https://example.com/a", site: "example.com", html, content };
  const short = toShortArticle({ ...sample, wanted: toWords(content) })!;
  const text = layOut(parseTree(short.html))
    .runs.map((run) => run.text)
    .join("\n");
  const words = short.wanted.length;
  expect(words).toBeGreaterThanOrEqual(70);
  expect(words).toBeLessThan(330);
  expect(text).toContain("Home page of the paper");
  expect(text).toContain("Teaser: the mayor speaks");
  expect(text).toContain(sentence(0));
  expect(text).not.toContain(sentence(59));
});
