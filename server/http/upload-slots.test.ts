import { expect, test } from "vitest";
import { createUploadSlots } from "./upload-slots.ts";

test("uploads beyond a user's limit get 429, beyond all users' limit 503, each with when to try again", () => {
  const slots = createUploadSlots({ perUser: 2, total: 3 });
  const release = slots.take("a");
  slots.take("a");
  expect(() => slots.take("a")).toThrow(expect.objectContaining({ code: "busy", retryAfterSeconds: 2 }));
  slots.take("b");
  expect(() => slots.take("c")).toThrow(expect.objectContaining({ code: "unavailable", retryAfterSeconds: 5 }));
  release();
  slots.take("c");
  expect(() => slots.take("a")).toThrow(expect.objectContaining({ code: "unavailable" }));
});
