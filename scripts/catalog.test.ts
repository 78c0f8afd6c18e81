import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { refreshCatalog, toEntries } from "./catalog.js";

const model = (name: string, more: object = {}) => ({
  id: name,
  name,
  reasoning: false,
  temperature: true,
  tool_call: true,
  release_date: "2026-03-04",
  modalities: { input: ["text", "image"], output: ["text"] },
  cost: { input: 1, output: 2, cache_read: 0.1 },
  limit: { context: 1000, output: 10 },
  ...more,
});

/** In the form of models.dev. */
const source = {
  openai: {
    id: "openai",
    models: { "gpt-5-mini": model("Renamed"), "gpt-image": model("I", { modalities: { output: ["image"] } }) },
  },
  openrouter: { id: "openrouter", models: { "a/b": model("Not stored") } },
  "amazon-bedrock": {
    id: "amazon-bedrock",
    models: { "amazon.nova": model("Nova", { cost: undefined, limit: { context: 0 } }) },
  },
  unknown: { id: "unknown", models: { m: model("Unknown") } },
};

test("writes the models of a source, recommended ones first, from a server to a file", async () => {
  const server = createServer((_, response) => response.end(JSON.stringify(source)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(join(tmpdir(), "catalog-"));
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const to = join(folder, "catalog.json");
  await refreshCatalog(["--from", `http://127.0.0.1:${(server.address() as AddressInfo).port}`, "--to", to]);
  const { models } = JSON.parse(readFileSync(to, "utf8")) as {
    models: { provider: string; model: string; note?: string }[];
  };
  const mini = models.find((entry) => entry.provider === "openai" && entry.model === "gpt-5-mini");
  expect(mini).toMatchObject({
    name: "GPT-5 Mini",
    note: "OpenAI, direct; smaller and cheaper",
    windowTokens: 1000,
    prices: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: null },
    tools: true,
    sampling: true,
    date: "2026-03-04",
  });
  // A recommended model that the source lacks stays as it was.
  expect(models.filter(({ provider, note }) => provider === "openrouter" && note)).toHaveLength(9);
  expect(models.filter(({ note }) => note === undefined)).toMatchObject([
    { provider: "bedrock", model: "amazon.nova", windowTokens: null, prices: { input: null } },
  ]);
});

test("fails without changing the file if the source has no models or cannot be read", async () => {
  expect(() => toEntries({ hello: "world" }, [], "2026-11-17")).toThrow("no models of a known provider");
  await expect(refreshCatalog(["--from", "/nowhere/at/all.json", "--to", "/nowhere/else"])).rejects.toThrow(
    "The file is unchanged",
  );
});
