import { expect, test } from "vitest";
import { createUploadSlots } from "./upload-slots.ts";

test("uploads beyond the user's limit get 429 and beyond the total limit 503, each with a retry time", () => {
  const slots = createUploadSlots({ perUser: 2, total: 3 });
  const release = slots.acquire("a");
  slots.acquire("a");
  expect(() => slots.acquire("a")).toThrow(expect.objectContaining({ code: "busy", retryAfterSeconds: 2 }));
  slots.acquire("b");
  expect(() => slots.acquire("c")).toThrow(expect.objectContaining({ code: "unavailable", retryAfterSeconds: 5 }));
  release();
  slots.acquire("c");
  expect(() => slots.acquire("a")).toThrow(expect.objectContaining({ code: "unavailable" }));
});
