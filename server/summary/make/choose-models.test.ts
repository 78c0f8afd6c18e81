import { expect, test } from "vitest";
import type { Model, Models } from "../../model/model.ts";
import { chooseModels } from "./choose-models.ts";

const free = ["openrouter/arcee-ai/trinity-large-preview:free", "openrouter/deepseek/deepseek-r1-0528:free"];
const cheap = "openrouter/mistralai/ministral-8b";
const paid = ["openrouter/big", "openai/big", cheap];
const ids = [...free, ...paid, "openai/small", "compatible/llama", "offline/stone"];

const models: Pick<Models, "find" | "isLocal"> = {
  find: (id) => {
    if (!ids.includes(id)) return undefined;
    const info = { id, provider: id.split("/")[0], available: true, free: !paid.includes(id) };
    return { info } as Model;
  },
  isLocal: (id) => /^(compatible|offline)\//.test(id),
};
const choose = (model: string, wanted?: readonly string[], temporary = 0) =>
  chooseModels(models, { model, temporary }, wanted);

test("asks only models of the thread's provider, cheap ones first", () => {
  expect(choose("openrouter/big")).toEqual([...free, cheap, "openrouter/big"]);
  expect(choose(free[1] ?? "")).toEqual(free);
  expect(choose("openai/big")).toEqual(["openai/big"]);
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
