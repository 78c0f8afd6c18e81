import fc from "../../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { checkCitations, type Citation } from "./cite.ts";

const page = [
  "# Reykjavík",
  "",
  "Reykjavík is the capital of Iceland. The **population** reached 139,875 in 2023, says [Statistics Iceland](https://statice.is/a_(b)).",
  "",
  "“We did not expect this,” the mayor told re-",
  "porters on Monday. Hotels were full through­out the sum\u00admer.",
  "",
  "| year | people |",
  "| 1901 | 6,682 |",
].join("\n");
const other = "Iceland lies in the North Atlantic. Its capital is Reykjavik, a city of about 140 thousand.";
const texts = [
  { ref: 3, text: page },
  { ref: 5, text: other },
];

const check = (answer: string): readonly Citation[] => checkCitations(answer, texts);
const states = (answer: string): readonly string[] => check(answer).map(({ ref, state }) => `${ref} ${state}`);
const cited = ({ ref, span }: Citation): string | undefined =>
  span && texts.find((text) => text.ref === ref)!.text.slice(...span);

test("a statement points to the sentence that supports it", () => {
  const answer = "The population reached 139,875 in 2023 [3].";
  const [one] = check(answer);
  expect(one).toMatchObject({ ref: 3, state: "supported" });
  expect(answer.slice(...one!.at)).toBe("[3]");
  expect(cited(one!)).toMatch(/^The \*\*population\*\* reached 139,875/);
});

test("a statement that is not in the text is not supported", () => {
  expect(states("Sourdough bread needs two days of fermentation [3].")).toEqual(["3 unverified"]);
});

test("a different number is not supported by matching words", () => {
  expect(states("The population reached 139,875 in 2023 [3].")).toEqual(["3 supported"]);
  expect(states("The population reached 150,000 in 2023 [3].")).toEqual(["3 unverified"]);
  expect(states("The population reached 139 875 in 2023 [3].")).toEqual(["3 supported"]);
  expect(states("The population reached 39,875 in 2023 [3].")).toEqual(["3 unverified"]);
  const fund = [{ ref: 1, text: "The fund raised $240M+ on the X1013 board." }];
  expect(checkCitations("The fund raised $240M on the X1013 board [1].", fund)[0]!.state).toBe("supported");
  expect(checkCitations("The fund raised $40M on the X1013 board [1].", fund)[0]!.state).toBe("unverified");
});

test.each([
  ["as it is", '"The population reached 139,875 in 2023"'],
  ["in other quotation marks", "„The population reached 139,875 in 2023“"],
  ["in guillemets", "«the population reached 139,875 in 2023»"],
  ["across a link", '"reached 139,875 in 2023, says Statistics Iceland"'],
  ["across a word broken at the end of a line", "“the mayor told reporters on Monday”"],
  ["across soft hyphens", "“full throughout the summer”"],
  ["with an ellipsis", "“Reykjavik is the capital of Iceland … reached 139,875”"],
  ["with a changed first letter", "“[t]he population reached 139,875 in 2023”"],
  ["with other spaces", "“The\u00a0population  reached 139,875”"],
  ["in markup", '"The *population* reached **139,875**"'],
])("a quotation is found %s", (_, quote) => {
  expect(states(`The office says ${quote} [3].`)).toEqual(["3 verified"]);
});

test("a quotation points to the exact words", () => {
  const [one] = check("Statistics say “reached 139,875 in 2023” [3].");
  expect(one).toMatchObject({ state: "verified", quote: "reached 139,875 in 2023" });
  expect(cited(one!)).toBe("reached 139,875 in 2023");
});

test.each([
  ["of other words", "“We fully expected this,” the mayor said [3]."],
  ["with one word changed", "The text says “The population reached 139,876 in 2023” [3]."],
  ["of the other text", "It says “Iceland lies in the North Atlantic” [3]."],
  ["that ends inside a word", "It says “Reykjavik is the capital of Ice” [3]."],
  ["with its pieces in the wrong order", "It says “reached 139,875 … Reykjavik is the capital” [3]."],
])("a quotation %s is unverified even if its words match", (_, answer) => {
  expect(states(answer)).toEqual(["3 unverified"]);
});

test("one or two words in quotation marks are not a quotation", () => {
  expect(states('The so-called "hub" Reykjavik is the capital of Iceland [3].')).toEqual(["3 supported"]);
});

test("a quotation may follow its marker and span several sentences", () => {
  expect(states("According to [5], “Iceland lies in the North Atlantic. Its capital is Reykjavik”.")).toEqual([
    "5 verified",
  ]);
  expect(states("“Iceland lies in the North Atlantic. Its capital is Reykjavik.” [5]")).toEqual(["5 verified"]);
});

test("a block quotation is a quotation", () => {
  expect(states("> Iceland lies in the North Atlantic. [5]")).toEqual(["5 verified"]);
  expect(states("> Iceland floats in the North Atlantic. [5]")).toEqual(["5 unverified"]);
});

test("a marker covers its own part of a sentence", () => {
  const answer = "The capital of Iceland is Reykjavik [5], and sourdough bread takes two days [3].";
  expect(states(answer)).toEqual(["5 supported", "3 unverified"]);
});

test("a marker after a full stop, in a list or in a table refers to the text before it", () => {
  expect(states("Reykjavik is the capital of Iceland. [3]")).toEqual(["3 supported"]);
  expect(states("Bread is baked.\n\n- Reykjavik is the capital of Iceland [3]\n- Bread is baked [3]")).toEqual([
    "3 supported",
    "3 unverified",
  ]);
  expect(states("| year | people |\n|---|---|\n| 1901 | 6,682 [3] |")).toEqual(["3 supported"]);
});

test("several numbers in one marker are several citations at the same position", () => {
  const answer = "Reykjavik is the capital of Iceland [3, 5][9].";
  const found = check(answer);
  expect(found.map(({ ref, state }) => [ref, state])).toEqual([
    [3, "supported"],
    [5, "supported"],
    [9, "missing"],
  ]);
  expect(found.map(({ at }) => answer.slice(...at))).toEqual(["[3, 5]", "[3, 5]", "[9]"]);
});

test("with several texts, one must contain the quotation and the others the statement", () => {
  expect(states("Sailors and fishermen read that “Iceland lies in the North Atlantic” [3, 5].")).toEqual([
    "3 unverified",
    "5 verified",
  ]);
});

test("a number without an artifact is missing", () => {
  expect(states("Reykjavik is the capital of Iceland [4].")).toEqual(["4 missing"]);
});

test.each([
  ["in a block of code", "```js\nlist[3] // The population [3]\n```"],
  ["in an open block of code", "~~~\nlist[3]\n"],
  ["in code within a line", "Use `list[3]` or ``a ` b[3]`` here."],
  ["as an image", "![3](picture.png)"],
  ["as a definition", "[3]: https://example.com"],
  ["as nothing", "[0] and [] and [x] and [12345678]"],
])("a number %s is not a citation", (_, answer) => {
  expect(check(answer)).toEqual([]);
});

test("handles scripts without spaces", () => {
  const artifacts = [{ ref: 1, text: "東京の人口は約1400万人である。大阪は西にある。" }];
  expect(checkCitations("記事は「東京の人口は約1400万人」と述べる[1]。", artifacts)[0]).toMatchObject({
    state: "verified",
    span: [0, 13],
  });
  expect(checkCitations("記事は「東京の人口は約1500万人」と述べる[1]。", artifacts)[0]!.state).toBe("unverified");
  expect(checkCitations("東京の人口は約1400万人である[1]。", artifacts)[0]!.state).toBe("supported");
});

test("every range is inside its text for any answer and texts", () => {
  const bit = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(
      "[1]",
      "[1, 2]",
      "“",
      "”",
      '"',
      "`",
      "```\n",
      "\n",
      ". ",
      "> ",
      "The capital of Iceland",
      "](x)",
      "\u00ad",
      "𝒜ﬁ",
    ),
  );
  const text = fc.array(bit).map((bits) => bits.join(""));
  fc.assert(
    fc.property(text, text, (answer, kept) => {
      for (const { at, span, state } of checkCitations(answer, [{ ref: 1, text: kept }])) {
        expect(answer.slice(...at)).toMatch(/^\[\d.*\]$/s);
        expect(span === undefined).toBe(state === "unverified" || state === "missing");
        const [start, end] = span ?? [0, 1];
        expect(start >= 0 && start < end && end <= Math.max(1, kept.length)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test("finds any sequence of a text's words as a quotation", () => {
  const words = other.split(" ");
  fc.assert(
    fc.property(fc.nat(words.length - 5), fc.integer({ min: 4, max: 12 }), (from, count) => {
      const quote = words.slice(from, from + count).join(" ");
      const [one] = check(`It says “${quote}” [5].`);
      expect(one?.state).toBe("verified");
      expect(cited(one!)).toBe(quote.replace(/[.,]$/, ""));
    }),
  );
});
