import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import Rendered, { Chunk } from "./rendered.tsx";
import { toChunks } from "./to-chunks.ts";

const words = "the tide comes in and goes out past the mole where granite lies under weed and gulls wait for noon ";
const blocks = [
  "# Heading",
  "### Deeper heading",
  `A paragraph. ${words.repeat(4)}`,
  `A paragraph of\nthree lines that is ${words}\n**bold** over lines`,
  `- a\n- b\n  - c\n\n  More of b, ${words}\n- d`,
  `1. first\n\n   Its own paragraph.\n\n2. second\n\nAfter the list ${words}`,
  `> quoted ${words}\n>\n> - and listed\n\nA paragraph again.`,
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "```ts\nconst a = 1;\n\n# no heading\n\nLetters at a line's beginning\n```",
  "~~~~\n~~~\n\nStill code\n\n# still code\n~~~~",
  '```py\ndef f():\n    """\n    ```py\n    f()\n    ```\n    """\n\nLetters = "$$"\n```',
  "- ```\n  a\n      ```\n\n  b\n  ```",
  "```in a line```\nand on",
  "- in a list\n\n  ```py\n  def f():\n\n  # comment\n  ```\n\n  and on",
  "$$\na = b\n\nA + B\n$$",
  "\\[\nx^2\n\nY\n\\]",
  "Setext\n======",
  `<details>\n<summary>More</summary>\n\n# Inside\n\n${words.repeat(12)}\n\nLetters inside\n\n</details>`,
  "* * *",
  "[a link](https://example.com) and `code` and ~~gone~~",
  "عنوان في سطر واحد",
  "Ünïcode und ß",
];

/** Deterministic random numbers. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

function write(seed: number, extra = ""): string {
  const random = createRandom(seed);
  const chosen = Array.from({ length: 120 }, () => blocks[Math.floor(random() * blocks.length)] ?? "");
  return [...chosen.slice(0, 60), ...(extra === "" ? [] : [extra]), ...chosen.slice(60)].join("\n\n");
}

const joint = /<\/div><div class="[^"]*prose[^"]*">/g;
const whole = (text: string): string => `<div>${renderToStaticMarkup(<Chunk text={text} streaming={false} />)}</div>`;
const cut = (text: string): string => renderToStaticMarkup(<Rendered text={text} streaming={false} />);

test("renders chunks the same as the whole text", () => {
  let pieces = 0;
  for (let seed = 1; seed <= 15; seed += 1) {
    const text = write(seed);
    pieces += toChunks(text).length;
    expect(toChunks(text).join("")).toBe(text);
    expect(cut(text).replaceAll(joint, "\n"), String(seed)).toBe(whole(text));
  }
  expect(pieces).toBeGreaterThan(40);
});

test("renders differently when split blindly (control)", () => {
  const text = write(1);
  const half = text.indexOf("\n", text.length / 2);
  const blind = [text.slice(0, half + 3), text.slice(half + 3)].map((piece) => whole(piece)).join("");
  expect(blind.replaceAll(/<\/?div[^>]*>/g, "")).not.toBe(whole(text).replaceAll(/<\/?div[^>]*>/g, ""));
});

test("keeps all chunks but the last while the text grows", () => {
  const text = write(7);
  const all = toChunks(text);
  for (let end = 0; end <= text.length; end += 37) {
    const settled = toChunks(text.slice(0, end)).slice(0, -1);
    expect(settled).toEqual(all.slice(0, settled.length));
  }
  expect(all.length).toBeGreaterThan(2);
});

test.each(["[1]: https://example.com", "A claim.[^1]\n\n[^1]: Its note.", "> - [^1]: a note"])(
  "does not split a text with a definition (%j)",
  (extra) => {
    const text = write(3, extra);
    expect(toChunks(text)).toEqual([text]);
    // Ids of footnotes begin with an id of their chunk.
    const withoutIds = (html: string) => html.replaceAll(/_R_\w+_/g, "");
    expect(withoutIds(cut(text))).toBe(withoutIds(whole(text)));
  },
);

test("keeps code with an indented fence inside in one chunk", () => {
  const code = `def f():\n    """\n    \`\`\`py\n    f()\n    \`\`\`\n    """\n\n${"Letters = 1\n\n".repeat(400)}`;
  const text = `Before.\n\n\`\`\`py\n${code}\`\`\`\n\nAfter.`;
  expect(toChunks(text)).toEqual([text.slice(0, -"After.".length), "After."]);
});

test.each([
  "```js\nconst a = /[^a-z]/; // [^1]: $$ \\[\n[a]: 1\n```",
  "It is `[^a-z]`, and [^b] too.",
  "It is `$$` or ``\\[``.",
])("still splits a text with something like a note or formula in code (%j)", (extra) => {
  const text = write(5, extra);
  expect(toChunks(text).length).toBe(toChunks(write(5)).length);
  expect(cut(text).replaceAll(joint, "\n")).toBe(whole(text));
});

test("does not split after a raw tag that extends over empty lines", () => {
  const text = write(4, "<pre>\n\nwhat follows");
  expect(toChunks(text).at(-1)).toContain("<pre>");
  expect(cut(text).replaceAll(joint, "\n")).toBe(whole(text));
});

test("keeps an element that contains blocks in one chunk, and splits after it", () => {
  const text = write(4, `<details>\n\n${`What follows\n\n`.repeat(300)}</details>`);
  expect(toChunks(text).some((chunk) => chunk.includes("What follows") && !chunk.includes("</details>"))).toBe(false);
  expect(toChunks(text).length).toBeGreaterThan(4);
  expect(cut(text).replaceAll(joint, "\n")).toBe(whole(text));
});

test("splits after a raw tag that ends at an empty line", () => {
  const text = write(4, "<section>\n\nwhat follows");
  expect(toChunks(text).at(-1)).not.toContain("<section>");
  expect(cut(text).replaceAll(joint, "\n")).toBe(whole(text));
});
