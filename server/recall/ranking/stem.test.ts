import { expect, test } from "vitest";
import { stemEnglish } from "./stem.ts";

test("forms of a word have one stem", () => {
  for (const forms of [
    ["connect", "connects", "connected", "connecting", "connection", "connections"],
    ["relate", "relates", "related", "relating"],
    ["happy", "happiness"],
    ["run", "runs", "running"],
    ["try", "tries", "tried", "trying"],
    ["hope", "hoping", "hoped"],
    ["generous", "generously"],
    ["agree", "agreed"],
  ])
    expect(new Set(forms.map(stemEnglish)).size, forms.join(" ")).toBe(1);
});

test("different words keep different stems", () => {
  for (const [one, other] of [
    ["hop", "hope"],
    ["general", "generous"],
    ["sky", "ski"],
    ["news", "new"],
  ] as const)
    expect(stemEnglish(one)).not.toBe(stemEnglish(other));
});

test("stems are those of the published algorithm", () => {
  const published = {
    consistency: "consist",
    knightly: "knight",
    skies: "sky",
    dying: "die",
    exceeded: "exceed",
    communism: "communism",
    conformity: "conform",
    electricity: "electr",
    luxuriated: "luxuri",
    knots: "knot",
    bus: "bus",
    cries: "cri",
    say: "say",
    by: "by",
  };
  for (const [word, stem] of Object.entries(published)) expect(stemEnglish(word), word).toBe(stem);
});

test("words with other characters than a-z are unchanged", () => {
  for (const word of ["1984", "東京", "naïve", "a1b2", "is", ""]) expect(stemEnglish(word)).toBe(word);
});
