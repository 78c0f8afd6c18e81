import { expect, test } from "vitest";
import type { Provider } from "../../../protocol/settings/providers.ts";
import { describeKey, describeState } from "./describe-provider.ts";

const provider: Provider = {
  id: "openai",
  label: "OpenAI",
  variable: "OPENAI_API_KEY",
  key: "here",
  keySetAt: null,
  takesAddress: false,
  address: "none",
  baseUrl: null,
  modelNames: [],
  isReady: true,
  models: 1200,
  note: null,
  lastTest: null,
};
const failed = { outcome: "refused-key", models: null, text: "no", at: 0 } as const;

test.each<[Partial<Provider>, string, string]>([
  [{}, "good", "1,200 models"],
  [{ models: 1 }, "good", "One model"],
  [{ models: 0 }, "warn", "No models yet"],
  [{ lastTest: failed }, "bad", "Key refused"],
  [{ isReady: false, lastTest: failed }, "quiet", "No key"],
  [{ isReady: false, takesAddress: true }, "quiet", "No address"],
])("%o is %s: %s", (part, tone, text) => {
  expect(describeState({ ...provider, ...part })).toEqual({ tone, text });
});

test("it is said where a key is, and that nobody reads it again", () => {
  expect(describeKey(provider)).toBe("A key is set. It is kept sealed and is never shown again.");
  expect(describeKey({ ...provider, keySetAt: Date.UTC(2026, 8, 20, 12) })).toContain("2026");
  expect(describeKey({ ...provider, key: "environment" })).toContain("OPENAI_API_KEY");
  expect(describeKey({ ...provider, key: "none" })).toBe("Add a key here, or set OPENAI_API_KEY on the server.");
  expect(describeKey({ ...provider, key: "none", takesAddress: true })).toBe("Without a key.");
});
