import { expect, test } from "vitest";
import { createThinkTags, type Piece } from "./think-tags.ts";

const join = (pieces: readonly Piece[], kind: Piece["kind"]): string =>
  pieces
    .filter((piece) => piece.kind === kind)
    .map(({ text }) => text)
    .join("");

const split = (deltas: readonly string[]) => {
  const tags = createThinkTags();
  const pieces = [...deltas.flatMap((delta) => tags.read(delta)), ...tags.end()];
  return { reasoning: join(pieces, "reasoning"), text: join(pieces, "text") };
};

test.each([
  ["<think>why</think>so", "why", "so"],
  ["\n <THINK>why</think>\n\n so", "why", "so"],
  ["<thinking>why </think> not</thinking>so", "why </think> not", "so"],
  ["<think>never closed", "never closed", ""],
  ["<think>almost </thin", "almost </thin", ""],
  ["<think></think>", "", ""],
  ["so <think>why</think>", "", "so <think>why</think>"],
  ["<thin line", "", "<thin line"],
  ["<", "", "<"],
  ["", "", ""],
  ["  \n", "", "  \n"],
])("splits %j the same way, wherever the deltas are cut", (content, reasoning, text) => {
  expect(split([content])).toEqual({ reasoning, text });
  expect(split([...content])).toEqual({ reasoning, text });
  for (let at = 0; at <= content.length; at += 1) {
    expect(split([content.slice(0, at), content.slice(at)])).toEqual({ reasoning, text });
  }
});
