import { expect, test } from "vitest";
import { displayMark, inlineMark, markMaths, openMark, readMarked } from "./mark-maths.ts";

const show = (text: string, streaming = false) =>
  markMaths(text, streaming).replaceAll(inlineMark, "I").replaceAll(displayMark, "D").replaceAll(openMark, "O");

test.each([
  ["so $x^2$ it is", "so `Ix^2I` it is"],
  ["so \\(x_1 + y_2\\) it is", "so `Ix_1 + y_2I` it is"],
  ["$$\nx = \\frac{1}{2}\n$$", "`Dx = \\frac{1}{2}D`"],
  ["\\[ a \\\\ b \\]", "`Da \\\\ bD`"],
  ["- one\n  $$x$$\n- two", "- one\n  `DxD`\n- two"],
  ["| $|x|$ | 2 |", "| `I\\vert x\\vert I` | 2 |"],
  ["$a % aside\n$", "$a % aside\n$"],
  ["$$a % aside\nb$$", "`Da bD`"],
  ["a $`$ b", "a $`$ b"],
  ["```x```\nso $y$", "```x```\nso `IyI`"],
  ["   ```\n$x$\n      ```\n$y$", "   ```\n$x$\n      ```\n`IyI`"],
  ["- ```\n  $x$\n  ```\n- $y$", "- ```\n  $x$\n  ```\n- `IyI`"],
  ["~~gone~~ $y$ ~~~ $z$", "~~gone~~ `IyI` ~~~ `IzI`"],
])("marks the formula in %j as %j", (text, marked) => {
  expect(show(text)).toBe(marked);
});

test.each([
  "It costs $5 and $10.",
  "from $5 to $10, or $ 7",
  "US$5 and CA$7",
  "set $HOME and $PATH in the shell",
  "`$x$` and ``a $y$ b``",
  "```sh\necho $x$ $$y$$\n```",
  "~~~\n\\(x\\)\n~~~",
  '```py\ndef f():\n    """\n    ```py\n    f()\n    ```\n    """\n    return "\\[a\\] $x$"\n```',
  "- ```py\n      ```\n  $x$\n  ```",
  "> ```\n> $x$\n> ```",
  "\\$x\\$ and \\\\(x",
  "no formula at all",
  "$$",
  "$$ never closed",
])("finds no formula in %j", (text) => {
  expect(show(text)).toBe(text);
});

test("marks an unclosed formula while streaming", () => {
  expect(show("then $$x + \\frac{1}", true)).toBe("then `Ox + \\frac{1}O`");
  expect(show("then \\(x", true)).toBe("then `OxO`");
  expect(show("it is $5 and", true)).toBe("it is $5 and");
});

test("removes markers that were already in the text", () => {
  expect(markMaths(`\`${inlineMark}\\evil${inlineMark}\``, false)).toBe("`\\evil`");
});

test("reads marked formulas, and ignores code", () => {
  expect(readMarked(`${inlineMark}x${inlineMark}`)).toEqual({ tex: "x", kind: "inline" });
  expect(readMarked("x")).toBeNull();
  expect(readMarked("")).toBeNull();
});

test("keeps the text outside of formulas at every prefix", () => {
  const text = "a $x$ b `c $d$` \\[y\\] $$z$$ e \\(w\\) f $5";
  for (let end = 0; end <= text.length; end += 1) {
    const marked = show(text.slice(0, end), true);
    expect(marked.startsWith("a".slice(0, end)), marked).toBe(true);
    expect(marked.length, marked).toBeGreaterThan(end / 3 - 2);
  }
});
