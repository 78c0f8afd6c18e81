import fc from "../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { createRedactor } from "./redact.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const spellings: readonly (readonly [string, (value: string) => string])[] = [
  ["verbatim", (value) => value],
  ["inside a word", (value) => `ab${value}cd`],
  ["percent-encoded", encodeURIComponent],
  [
    "percent-encoded in small letters",
    (value) => encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
  ],
  ["percent-encoded twice", (value) => encodeURIComponent(encodeURIComponent(value))],
  ["in JSON", (value) => JSON.stringify({ a: value })],
  ["in JSON in JSON", (value) => JSON.stringify(JSON.stringify([value]))],
  ["in hexadecimal", (value) => Buffer.from(value).toString("hex")],
  ["in base64", base64],
  ["in base64, one byte later", (value) => base64(`:${value};`)],
  ["in base64, two bytes later", (value) => base64(`u:${value};`)],
  ["in base64url", (value) => Buffer.from(`{"a":"${value}"}`).toString("base64url")],
];
const values = [
  "hunter2",
  "a b c d",
  "Kp3xQ9vTz1LmWd",
  'quo"te\\d/one',
  "p@ss w+rd&more=?",
  "ключ-от-дома",
  "plainword",
  "47118",
];

test.each(values.flatMap((value) => spellings.map(([name, spell]) => [value, name, spell] as const)))(
  "finds %s %s",
  (value, _, spell) => {
    const redactor = createRedactor({ salt: "s", known: [{ name: "mine", value }] });
    const { value: left, found } = redactor.text(`say ${spell(value)} please`);
    expect(left).not.toContain(spell(value));
    expect(left).not.toContain(value);
    expect(found[0]?.kind).toBe("mine");
  },
);

test("finds a known value however it is broken", () => {
  const value = "Kp3xQ9vTz1LmWdEy";
  const redactor = createRedactor({ salt: "s", known: [{ name: "mine", value }] });
  for (let at = 1; at < value.length; at += 1) {
    for (const gap of ["\n", "\n    ", '" +\n  "', "\\n", "' + '"]) {
      const { value: left } = redactor.text(`x = "${value.slice(0, at)}${gap}${value.slice(at)}";`);
      expect(left).toMatch(/^x = "\[secret:/);
    }
  }
});

test("finds it in keys and strings of a value, but not in numbers", () => {
  const redactor = createRedactor({ salt: "s", known: [{ name: "mine", value: "plainword" }] });
  const { value } = redactor.value({ "the plainword": ["say plainword"], n: 4711 });
  expect(JSON.stringify(value)).not.toContain("plainword");
  expect(value).toMatchObject({ n: 4711 });
});

test("handles unpaired surrogates in a known value or a text", () => {
  const redactor = createRedactor({ salt: "s", known: [{ name: "mine", value: "half\ud83d" }] });
  expect(redactor.text("so half\ud83d it is, \udc00").value).not.toContain("half");
});

test("ignores values of fewer than four characters", () => {
  const redactor = createRedactor({
    salt: "s",
    known: [
      { name: "mine", value: "abc" },
      { name: "none", value: "" },
    ],
  });
  expect(redactor.text("abcabc").value).toBe("abcabc");
});

test("leaves no known value, for any values and surrounding text", () => {
  const secret = fc
    .string({ minLength: 6, maxLength: 30 })
    .filter((value) => value.trim().length >= 6 && !/secret:|\[/.test(value));
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 5 }), fc.string(), (all, around) => {
      const redactor = createRedactor({ salt: "s", known: all.map((value, at) => ({ name: `k${at}`, value })) });
      const { value: left } = redactor.text(all.map((value) => `${around} ${value} `).join("\n"));
      const marks = left.replace(/\[secret:[a-z-]+:[0-9a-f]{8}\]/g, "\u0000");
      for (const value of all) expect(marks).not.toContain(value);
    }),
    { numRuns: 500 },
  );
});
