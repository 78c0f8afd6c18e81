import { expect, test } from "vitest";
import { ClientId } from "../../protocol/ids.ts";
import { createId, createShortId } from "./ids.ts";

test("creates version 7 UUIDs that the server accepts", () => {
  const id = createId();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ClientId.parse(id)).toBe(id);
});

test("encodes the time in the first 48 bits", () => {
  const at = Date.UTC(2026, 10, 15, 12);
  expect(Number.parseInt(createId(at).replaceAll("-", "").slice(0, 12), 16)).toBe(at);
});

test("creates different ids at the same moment", () => {
  expect(new Set(Array.from({ length: 1000 }, () => createId(0))).size).toBe(1000);
});

test("creates valid short ids that differ", () => {
  const ids = Array.from({ length: 5000 }, createShortId);
  expect(ids.every((id) => /^[a-z0-9]{12}$/.test(ClientId.parse(id)))).toBe(true);
  expect(new Set(ids).size).toBe(5000);
});
