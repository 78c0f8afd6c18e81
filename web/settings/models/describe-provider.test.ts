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
  kind: "hosted",
  headers: [],
  isProven: false,
  isReady: true,
  models: 1200,
  note: null,
  lastTest: null,
};
const failed = { outcome: "refused-key", models: null, text: "no", at: 0 } as const;

test.each<[Partial<Provider>, string, string]>([
  [{}, "good", "1,200 models"],
  [{ models: 1 }, "good", "1 model"],
  [{ models: 0 }, "warn", "No models yet"],
  [{ lastTest: failed }, "bad", "Key rejected"],
  [{ isReady: false, key: "none", lastTest: failed }, "quiet", "No key"],
  [{ isReady: false, key: "none", kind: "server" }, "quiet", "No address"],
  // Azure with a key but no resource.
  [{ isReady: false, takesAddress: true }, "quiet", "No address"],
])("%o has tone %s and text %s", (part, tone, text) => {
  expect(describeState({ ...provider, ...part })).toEqual({ tone, text });
});

test("describes where the key is stored", () => {
  expect(describeKey(provider)).toBe("A key is set. It is stored encrypted and never shown again.");
  expect(describeKey({ ...provider, keySetAt: Date.UTC(2026, 8, 20, 12) })).toContain("2026");
  expect(describeKey({ ...provider, key: "environment" })).toContain("OPENAI_API_KEY");
  expect(describeKey({ ...provider, key: "none" })).toBe("Add a key here, or set OPENAI_API_KEY on the server.");
  expect(describeKey({ ...provider, key: "none", kind: "server" })).toBe(
    "No key set. Local servers such as Ollama usually don't need one.",
  );
});
