import { expect, test } from "vitest";
import { createSeal } from "./seal.ts";

const seal = createSeal(Buffer.alloc(32, 1));

test("decrypts only with the same key, and only unmodified text", () => {
  const sealed = seal.encrypt("päss 🔑");
  expect(sealed).not.toContain("päss");
  expect(seal.decrypt(sealed)).toBe("päss 🔑");
  expect(seal.encrypt("päss 🔑")).not.toBe(sealed);
  expect(() => createSeal(Buffer.alloc(32, 2)).decrypt(sealed)).toThrow();
  const changed = `${sealed.slice(0, -2)}${sealed.endsWith("AA") ? "BB" : "AA"}`;
  expect(() => seal.decrypt(changed)).toThrow();
});

test("a derived value depends on its label and on the key", () => {
  expect(seal.derive("a")).toBe(createSeal(Buffer.alloc(32, 1)).derive("a"));
  expect(seal.derive("a")).not.toBe(seal.derive("b"));
  expect(seal.derive("a")).not.toBe(createSeal(Buffer.alloc(32, 2)).derive("a"));
});
