import { expect, test } from "vitest";
import { createSeal } from "./seal.ts";
import { createSealedCookie, createSealedValue } from "./sealed-value.ts";

const seal = createSeal(Buffer.alloc(32, 1));
const other = createSeal(Buffer.alloc(32, 2));

test("opens a value until it expires, and none of another kind or key", () => {
  let now = 1_000;
  const clock = { now: () => now };
  const values = createSealedValue<{ n: number }>({ seal, clock, kind: "a", lifeMs: 500 });
  const sealed = values.seal({ n: 7 });
  expect(sealed).toMatch(/^[\w-]+$/);
  expect(values.unseal(sealed)).toEqual({ n: 7 });
  expect(createSealedValue({ seal, clock, kind: "b", lifeMs: 500 }).unseal(sealed)).toBeUndefined();
  expect(createSealedValue({ seal: other, clock, kind: "a", lifeMs: 500 }).unseal(sealed)).toBeUndefined();
  for (const bad of ["", "x", sealed.slice(1), `${sealed.slice(0, -2)}AA`]) expect(values.unseal(bad)).toBeUndefined();
  now = 1_500;
  expect(values.unseal(sealed)).toBeUndefined();
});

test("a cookie is bound to the host with TLS, and is found between others", () => {
  const clock = { now: () => 1 };
  const cookie = createSealedCookie<string>({ seal, clock, kind: "step", lifeMs: 60_000, sameSite: "Strict" });
  expect(cookie.create("v", false)).toMatch(/^step=[\w-]+; Path=\/; Max-Age=60; HttpOnly; SameSite=Strict$/);
  const set = cookie.create("v", true);
  expect(set).toMatch(/^__Host-step=[\w-]+; Path=\/; Max-Age=60; HttpOnly; SameSite=Strict; Secure$/);
  expect(cookie.clear(true)).toContain("__Host-step=; Path=/; Max-Age=0;");
  const [pair] = set.split(";");
  expect(cookie.read(`a=b; step=forged; ${pair}; c`)).toBe("v");
  expect(cookie.read(`x${pair}`)).toBeUndefined();
  expect(cookie.read(undefined)).toBeUndefined();
});
