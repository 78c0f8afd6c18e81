import { expect, test } from "vitest";
import type { Part } from "../../protocol/parts.ts";
import { findCitation, readCitations, splitCitations } from "./citations.ts";
import type { Citation } from "../state/panels.ts";

const refsOf = (text: string) => splitCitations(text).flatMap((piece) => (piece.kind === "refs" ? [piece.refs] : []));

test.each([
  ["High [1].", [[1]]],
  [
    "High [1, 2] and low [3;4].",
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["High [1][2].", [[1], [2]]],
  ["Twice the same [2, 2].", [[2]]],
  ["list[0] and [x] and [1a] and [ ] and [^1]", []],
  ["a year [2026] may be one, a long number [1234567] is not", [[2026]]],
  ["[1", []],
])("finds in %j the citations %j", (text, refs) => {
  expect(refsOf(text)).toEqual(refs);
});

test("the pieces join to the original text", () => {
  const text = "One [1] two [2, 3] three [0].";
  expect(
    splitCitations(text)
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
});

const citation = (ref: number, start: number, state: Citation["state"]): Citation => ({
  ref,
  at: [start, start + 3],
  state,
});

test("distinguishes two citations of the same source by the text before them", () => {
  const answer = "It is high [1]. It is green [1]. Both [2, 1].";
  const [high, green, both] = [answer.indexOf("[1]"), answer.lastIndexOf("[1]"), answer.indexOf("[2, 1]")];
  const checked = {
    answer,
    citations: [citation(1, high, "verified"), citation(1, green, "unverified"), citation(1, both, "supported")],
  };
  const stateAt = (before: string, length = 3) => findCitation(checked, 1, { before, length })?.state;
  expect(stateAt("It is high ")).toBe("verified");
  expect(stateAt("It is green ")).toBe("unverified");
  expect(stateAt("It is green [1]. Both ", 6)).toBe("supported");
  expect(findCitation(checked, 7, { before: "It is high ", length: 3 })).toBeUndefined();
});

test("finds a citation at the start of a block", () => {
  const answer = "First [1].\n\n[1] says so.";
  const checked = {
    answer,
    citations: [citation(1, answer.indexOf("[1]"), "verified"), citation(1, answer.lastIndexOf("[1]"), "unverified")],
  };
  expect(findCitation(checked, 1, { before: "", length: 3 })?.state).toBe("unverified");
});

test("reads the newest list and skips malformed entries", () => {
  const part = (id: string, value: unknown): Part => ({
    id,
    v: 1,
    n: 1,
    step: 1,
    kind: "data",
    name: "citations",
    value,
  });
  const good = { ref: 1, at: [0, 3], state: "verified", quote: "so", span: [4, 6] };
  const parts = [
    part("old", [{ ref: 9, at: [0, 3], state: "missing" }]),
    part("new", [good, { ref: "1", at: [0, 3], state: "verified" }, { ref: 1, at: [0], state: "verified" }, null]),
  ];
  expect(readCitations(parts)).toEqual([good]);
  expect(readCitations([part("odd", { ref: 1 })])).toEqual([]);
  expect(readCitations([])).toEqual([]);
});
