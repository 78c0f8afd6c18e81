import { expect, test } from "vitest";
import type { Model, Models } from "../../model/model.ts";
import { chooseModels } from "./choose-models.ts";

const free = ["openrouter/arcee-ai/trinity-large-preview:free", "openrouter/deepseek/deepseek-r1-0528:free"];
const cheap = "openrouter/mistralai/ministral-8b";
const paid = ["openrouter/big", "openai/big", "openai/mini", "openai/nano", cheap];
const ids = [...free, ...paid, "openai/small", "compatible/llama", "offline/stone"];

const prices: Readonly<Record<string, number>> = { "openai/big": 5, "openai/mini": 1, "openai/nano": 0.1 };
const toInfo = (id: string) => {
  const price = prices[id] ?? null;
  const note = id in prices ? "recommended" : "";
  const known = { id, provider: id.split("/")[0], available: true, free: !paid.includes(id), note };
  return { ...known, prices: { input: price, output: price } } as Model["info"];
};
const models: Pick<Models, "find" | "isLocal" | "list"> = {
  list: () => ids.map(toInfo),
  find: (id) => (ids.includes(id) ? ({ info: toInfo(id) } as Model) : undefined),
  isLocal: (id) => /^(compatible|offline)\//.test(id),
};
const choose = (model: string, wanted?: readonly string[], temporary = 0) =>
  chooseModels(models, { model, temporary }, wanted);

test("asks only models of the thread's provider, cheap ones first", () => {
  expect(choose("openrouter/big")).toEqual([...free, cheap, "openrouter/big"]);
  expect(choose(free[1] ?? "")).toEqual(free);
  expect(choose("openai/big")).toEqual(["openai/nano", "openai/big"]);
  expect(choose("openai/nano")).toEqual(["openai/nano"]);
  expect(choose("compatible/llama")).toEqual(["compatible/llama"]);
  expect(choose("offline/stone")).toEqual([]);
});

test("follows the operator's list, except for local and temporary threads", () => {
  const wanted = ["openrouter/big", "compatible/llama", "openai/small", "openai/small", "gone/model"];
  expect(choose("openai/big", wanted)).toEqual(["openrouter/big", "compatible/llama", "openai/small"]);
  expect(choose("openai/big", wanted, 1)).toEqual(["openai/small"]);
  expect(choose("compatible/llama", wanted)).toEqual(["compatible/llama"]);
  expect(choose("offline/stone", wanted)).toEqual([]);
});

test("keeps a temporary thread with its model, and asks no model when the thread's model was removed", () => {
  expect(choose("openrouter/big", undefined, 1)).toEqual(["openrouter/big"]);
  expect(choose("compatible/gone", ["openrouter/big"])).toEqual([]);
});
