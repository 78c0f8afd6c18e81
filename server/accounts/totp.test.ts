import { expect, test } from "vitest";
import { findStep, toBase32, toCode, toKeyUri, toStep } from "./totp.ts";

const secret = Buffer.from("12345678901234567890");

test("computes the codes of RFC 6238, appendix B, for SHA-1", () => {
  const vectors = [
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ] as const;
  for (const [seconds, code] of vectors) {
    expect(toCode(secret, toStep(seconds * 1000), 8)).toBe(code);
    expect(toCode(secret, toStep(seconds * 1000))).toBe(code.slice(2));
  }
});

test("computes the codes of RFC 4226, appendix D", () => {
  const codes = "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489".split(" ");
  expect(codes.map((_, counter) => toCode(secret, counter))).toEqual(codes);
});

test("accepts the codes of the current step and of its neighbors, and none that is not later than the last one", () => {
  const timeMs = 1_234_567_890_000;
  const step = toStep(timeMs);
  const find = (offset: number, lastStep = 0) => findStep(secret, toCode(secret, step + offset), { timeMs, lastStep });
  expect([-2, -1, 0, 1, 2].map((offset) => find(offset))).toEqual([undefined, step - 1, step, step + 1, undefined]);
  expect(find(0, step)).toBeUndefined();
  expect(find(-1, step)).toBeUndefined();
  expect(find(1, step)).toBe(step + 1);
  for (const code of ["", "12345", "1234567", "abcdef"]) {
    expect(findStep(secret, code, { timeMs, lastStep: 0 })).toBeUndefined();
  }
});

test("encodes the vectors of RFC 4648 in base 32", () => {
  const vectors = {
    "": "",
    f: "MY",
    fo: "MZXQ",
    foo: "MZXW6",
    foob: "MZXW6YQ",
    fooba: "MZXW6YTB",
    foobar: "MZXW6YTBOI",
  };
  for (const [text, encoded] of Object.entries(vectors)) expect(toBase32(Buffer.from(text))).toBe(encoded);
  expect(toBase32(secret)).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
});

test("a key is passed to apps as a URI that names the account", () => {
  const uri = new URL(toKeyUri("ABC", "ada+test@example.com"));
  expect(uri.protocol).toBe("otpauth:");
  expect(decodeURIComponent(uri.pathname)).toContain("Stonechat:ada+test@example.com");
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    ...{ secret: "ABC", issuer: "Stonechat", algorithm: "SHA1", digits: "6", period: "30" },
  });
});
