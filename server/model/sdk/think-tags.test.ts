import { expect, test } from "vitest";
import { createThinkTags, type ThinkPiece } from "./think-tags.ts";

const join = (pieces: readonly ThinkPiece[], kind: ThinkPiece["kind"]): string =>
  pieces
    .filter((piece) => piece.kind === kind)
    .map(({ text }) => text)
    .join("");

const split = (deltas: readonly string[]) => {
  const tags = createThinkTags();
  const pieces = [...deltas.flatMap((delta) => tags.read(delta)), ...tags.end()];
  const closed = pieces.findIndex(({ kind }) => kind === "closed");
  const before = closed < 0 ? [] : pieces.slice(0, closed);
  return { reasoning: join(pieces, "reasoning") + join(before, "text"), text: join(pieces.slice(closed + 1), "text") };
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
  ["why\n</think>\n\nso", "why\n", "so"],
  ["why.</think>\nso", "why.", "so"],
  ["why\n</thinking> so", "why\n", "so"],
  ["</think>\n\nso", "", "so"],
  ["why\n</think>", "why\n", ""],
  ["why\n</think>\nso </think>\n", "why\n", "so </think>\n"],
  ["the tag </think> ends it", "", "the tag </think> ends it"],
  ["the tag </think> ends it\n</think>\n", "", "the tag </think> ends it\n</think>\n"],
  ["```\n</think>\n```", "", "```\n</think>\n```"],
  ["so <think>\n</think>\n", "", "so <think>\n</think>\n"],
  ["a </thin", "", "a </thin"],
])("splits %j the same way, wherever the deltas are cut", (content, reasoning, text) => {
  expect(split([content])).toEqual({ reasoning, text });
  expect(split([...content])).toEqual({ reasoning, text });
  for (let at = 0; at <= content.length; at += 1) {
    expect(split([content.slice(0, at), content.slice(at)])).toEqual({ reasoning, text });
  }
});
