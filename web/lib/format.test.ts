import { afterEach, expect, test } from "vitest";
import { setLanguage, type Language } from "../strings/language.ts";
import { describeElapsed, joinList, toSize, groupDigits } from "./format.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1,000"],
  [1234567, "1,234,567"],
  [-4321, "-4,321"],
])("%i is written %s", (count, text) => {
  expect(groupDigits(count)).toBe(text);
});

afterEach(() => setLanguage("en", "en", {}));

test.each<readonly [Language, string]>([
  ["en", "a, b, c | 12 kB | 1.6 MB | 0.4 s | 1 min 5 s"],
  ["de", "a, b und c | 12 kB | 1,6 MB | 0,4 Sek. | 1 Min. 5 Sek."],
  ["fr", "a, b, c | 12 ko | 1,6 Mo | 0,4 s | 1 min 5 s"],
  ["ja", "a、b、c | 12 KB | 1.6 MB | 0.4 秒 | 1 分 5 秒"],
  ["ar", "a وb وc | 12 كيلوبايت | 1.6 م.ب | 0.4 ث | 1 د 5 ث"],
])("lists, sizes and times are written as in %s", (language, text) => {
  setLanguage(language, language, {});
  const words = [
    joinList(["a", "b", "c"]),
    toSize(12_000),
    toSize(1_600_000),
    describeElapsed(400),
    describeElapsed(65_000),
  ];
  expect(words.join(" | ").replaceAll(/[\u00a0\u202f]/g, " ")).toBe(text);
});
