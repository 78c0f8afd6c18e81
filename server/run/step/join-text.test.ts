import { expect, test } from "vitest";
import { createJoin, lastWordsOf } from "./join-text.ts";

const join = (before: string, deltas: readonly string[]): string => {
  const { take, rest } = createJoin(before);
  const shown = deltas.map(take).join("");
  return before + shown + rest();
};
const whole = "The tide rises twice a day, and the quay is under water for an hour each time.";

test("a continuation that repeats the last words is joined exactly, wherever the text and its deltas were cut", () => {
  for (let cut = 1; cut < whole.length; cut += 1) {
    const before = whole.slice(0, cut);
    const said = whole.slice(whole.indexOf(lastWordsOf(before), Math.max(0, before.trimEnd().length - 60)));
    for (const size of [1, 3, 7, 1000]) {
      const deltas = said.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      expect(join(before, deltas), `cut at ${cut}, deltas of ${size}`).toBe(whole);
    }
  }
});

test("a continuation that does not repeat them is joined with a space between words", () => {
  expect(join("one two", ["three"])).toBe("one two three");
  expect(join("one two ", ["three"])).toBe("one two three");
  expect(join("one two", [" three"])).toBe("one two three");
  expect(join("one two.", ["\n\nThree"])).toBe("one two.\n\nThree");
  expect(join("one (tw", [", three)"])).toBe("one (tw, three)");
  expect(join("\u4e00\u4e8c", ["\u4e09"])).toBe("\u4e00\u4e8c\u4e09");
});

test("a continuation that adds no text, or ends within the repeated words, adds nothing", () => {
  expect(join("one two three", [])).toBe("one two three");
  expect(join("one two three", ["one two"])).toBe("one two three");
  expect(join("one two three", ["one two three"])).toBe("one two three");
});

test("a continuation that repeats only the last word or two is joined exactly, inside a word too", () => {
  for (const size of [1, 4, 1000]) {
    const say = (words: string) => words.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
    expect(join("The quick bro", say("brown fox."))).toBe("The quick brown fox.");
    expect(join("The quick bro", say("quick brown fox."))).toBe("The quick brown fox.");
    expect(join("One two three", say("two three four"))).toBe("One two three four");
    expect(join("One two three", say("two more"))).toBe("One two three two more");
    expect(join("Salt is", say("is it?"))).toBe("Salt is is it?");
  }
});
