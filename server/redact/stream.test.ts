import fc from "../../test/support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { createRedactor, type Redactor } from "./redact.ts";

const known = [
  { name: "ours", value: "zebra crossing 77" },
  { name: "theirs", value: "Kp3xQ9vTz1LmWd" },
];
const redactor = createRedactor({ salt: "thread-1", known });

function redactIn(pieces: readonly string[], by: Redactor = redactor) {
  const stream = by.stream();
  const value = pieces.map((piece) => stream.push(piece)).join("") + stream.end();
  return { value, found: stream.found() };
}

const keyLines = Array.from({ length: 4 }, (_, at) => Buffer.alloc(48, `line ${at} of the key`).toString("base64"));
const samples: Readonly<Record<string, { readonly text: string; readonly secrets: readonly string[] }>> = {
  "a password after its name": { text: "Log in: password is: Wn7!rakete, then go on.\nDone.", secrets: ["Wn7!rakete"] },
  "a value on the next line": { text: "api_key:\n    q8Zt0Lk2VbWm4Xc6\nnext", secrets: ["q8Zt0Lk2VbWm4Xc6"] },
  "a token in a sentence": {
    text: "It is ghp_q8Zt0Lk2VbWm4Xc6RyTu1Io9PaSd7Fg3Hj5 here, see.",
    secrets: ["ghp_q8Zt0Lk2VbWm"],
  },
  "a private key": {
    text: `before\n-----BEGIN RSA PRIVATE KEY-----\n${keyLines.join("\n")}\n-----END RSA PRIVATE KEY-----\nafter`,
    secrets: keyLines,
  },
  "a known value with spaces": {
    text: "We cross at the zebra crossing 77 each day.",
    secrets: ["zebra crossing 77", "crossing 77"],
  },
  "a known value over two lines": { text: "They said Kp3xQ9v\n    Tz1LmWd and left.", secrets: ["Tz1LmWd"] },
  "a known value in base64": {
    text: `see ${Buffer.from("x=zebra crossing 77;").toString("base64")} there`,
    secrets: ["emVicmEgY3Jvc3NpbmcgNz", Buffer.from("x=zebra crossing 77;").toString("base64")],
  },
  "an address": { text: "open postgres://app:Wn7rakete@db.example.org/app now", secrets: ["Wn7rakete"] },
  JSON: { text: '{"user": "eva", "clientSecret": "q8Zt0Lk2VbWm4Xc6", "n": [1, 2]}', secrets: ["q8Zt0Lk2VbWm4Xc6"] },
  "a secret that comes again": { text: "password=Wn7!rakete\nwe typed Wn7!rakete twice\n", secrets: ["Wn7!rakete"] },
};

describe.each(Object.entries(samples))("%s", (_, { text, secrets }) => {
  test("redacts it at every chunk boundary", () => {
    const whole = redactIn([text]);
    expect(whole.found.length).toBeGreaterThan(0);
    for (const secret of secrets) expect(whole.value).not.toContain(secret);
    for (let at = 0; at <= text.length; at += 1) {
      for (let to = at; to <= text.length; to += 7)
        expect(redactIn([text.slice(0, at), text.slice(at, to), text.slice(to)])).toEqual(whole);
    }
    expect(redactIn([...text])).toEqual(whole);
  });

  test("never emits it, not even in part", () => {
    const stream = redactor.stream();
    let sent = "";
    for (const character of text) {
      sent += stream.push(character);
      for (const secret of secrets) expect(sent).not.toContain(secret.slice(0, 7));
    }
    expect(text.length).toBeGreaterThan(sent.length / 2);
  });
});

test("passes harmless text through unchanged and promptly", () => {
  const text = "The quick brown fox jumps over the lazy dog, again and again, until the evening comes. ".repeat(20);
  const stream = redactor.stream();
  let sent = "";
  let mostHeld = 0;
  for (const [at, character] of [...text].entries()) {
    sent += stream.push(character);
    mostHeld = Math.max(mostHeld, at + 1 - sent.length);
  }
  expect(sent + stream.end()).toBe(text);
  expect(mostHeld).toBeLessThan(80);
});

test("the result does not depend on the chunks", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "password: ",
      "Kp3xQ9vTz1LmWd",
      "zebra crossing 77",
      "-----BEGIN PRIVATE KEY-----\n",
      "\n",
      " ",
      '"',
      "token=",
      "curl -u a:",
    ),
    fc.lorem({ maxCount: 4 }),
    fc.stringMatching(/^[A-Za-z0-9]{20,40}$/),
  );
  const cuts = fc.array(fc.nat(400), { maxLength: 8 });
  let found = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), cuts, (pieces, places) => {
      const text = pieces.join("");
      const sorted = [0, ...places.map((place) => Math.min(place, text.length)).toSorted((a, b) => a - b), text.length];
      const chunks = sorted.slice(1).map((place, at) => text.slice(sorted[at], place));
      const whole = redactIn([text]);
      found += whole.found.length;
      expect(redactIn(chunks)).toEqual(whole);
      for (const { value } of known) expect(whole.value).not.toContain(value);
    }),
    { numRuns: 1_000 },
  );
  expect(found).toBeGreaterThan(500);
});

test("eventually cuts a text without white space, but never inside a known value", () => {
  const filler = "x".repeat(63_995);
  const { value } = redactIn([`${filler}Kp3xQ9vTz1LmWd${filler}Kp3xQ9vTz1LmWd`]);
  expect(value).not.toContain("Kp3xQ9");
  expect(value.length).toBeGreaterThan(2 * filler.length);
});
