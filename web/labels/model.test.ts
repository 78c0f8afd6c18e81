import { expect, test } from "vitest";
import type { ModelInfo } from "../../protocol/api.ts";
import {
  canUse,
  describeModel,
  findTypedId,
  groupModels,
  limitGroups,
  isFailing,
  isOnlyOffline,
  sortModels,
  type ModelOrder,
} from "./model.ts";

const toModel = (patch: Partial<ModelInfo>): ModelInfo => ({
  id: "openrouter/x",
  name: "X",
  provider: "openrouter",
  free: false,
  available: true,
  unavailable: null,
  note: "",
  reasoning: false,
  windowTokens: null,
  prices: { input: null, output: null, cacheRead: null, cacheWrite: null },
  source: null,
  ...patch,
});

test("leaves out unknown facts and never invents a price", () => {
  expect(describeModel(toModel({}))).toBe("OpenRouter · paid");
  expect(describeModel(toModel({ free: true, windowTokens: 131_072, note: "Quick" }))).toBe(
    "OpenRouter · free · 131k window · Quick",
  );
  const prices = { input: 0.25, output: 2, cacheRead: null, cacheWrite: null };
  expect(describeModel(toModel({ prices, windowTokens: 1_050_000 }))).toBe(
    "OpenRouter · $0.25 in, $2 out per million · 1.1M window",
  );
});

test("lists usable models first and filters by every word", () => {
  const models = [
    toModel({ id: "a", name: "Kimi K2", available: false }),
    toModel({ id: "b", name: "Kimi Free", free: true }),
    toModel({ id: "c", name: "Grok" }),
  ];
  expect(sortModels(models, "").map(({ id }) => id)).toEqual(["b", "c", "a"]);
  expect(sortModels(models, "kimi paid").map(({ id }) => id)).toEqual(["a"]);
});

test("lists favorites before other usable models", () => {
  const models = [
    toModel({ id: "a" }),
    toModel({ id: "b", favorite: true, available: false }),
    toModel({ id: "c", favorite: true }),
  ];
  expect(sortModels(models, "").map(({ id }) => id)).toEqual(["c", "a", "b"]);
  expect(sortModels(models, "favorite").map(({ id }) => id)).toEqual(["c", "b"]);
});

test("lists the chosen model first, then favorite, default and recent ones, the demo model after others, and failing providers last", () => {
  const models = [
    toModel({ id: "down/a", provider: "down", failing: true, favorite: true }),
    toModel({ id: "lab/a", provider: "lab" }),
    toModel({ id: "lab/b", provider: "lab", favorite: true }),
    toModel({ id: "offline/stone", provider: "offline" }),
    toModel({ id: "up/a", provider: "up" }),
    toModel({ id: "up/b", provider: "up" }),
    toModel({ id: "up/c", provider: "up" }),
  ];
  const order = (given: ModelOrder) => sortModels(models, "", given).map(({ id }) => id);
  const preferred = ["offline/stone", "up/c", "down/a", "up/b"];
  const demo = "offline/stone";
  expect(order({ current: "up/a", preferred })).toEqual(["up/a", "lab/b", "up/c", "up/b", "lab/a", demo, "down/a"]);
  expect(order({ current: demo, preferred })[0]).toBe(demo);
  expect(order({ current: "down/a", preferred })[0]).toBe("down/a");
  expect(order({ avoided: "up/c", preferred })).toEqual(["lab/b", "lab/a", "up/b", "up/a", demo, "up/c", "down/a"]);
  expect(["down/a", "down/typed", "up/a"].map((id) => isFailing(models, id))).toEqual([true, true, false]);
});

test("accepts a typed id of a provider that is set up, if no list has it", () => {
  const models = [
    toModel({ id: "lab/a", provider: "lab" }),
    toModel({ id: "openai/x", provider: "openai", available: false }),
  ];
  expect(findTypedId(models, " lab/new:7b ")).toBe("lab/new:7b");
  for (const text of ["lab/a", "openai/y", "nobody/x", "lab", "lab/", "lab/two words"])
    expect(findTypedId(models, text)).toBeNull();
  expect(["lab/a", "lab/new", "openai/x"].map((id) => canUse(models, id))).toEqual([true, true, false]);
});

test("groups unavailable models by their reason", () => {
  const models = [
    toModel({ id: "a" }),
    toModel({ id: "b", available: false, unavailable: "Set A." }),
    toModel({ id: "c", available: false, unavailable: "Set B." }),
    toModel({ id: "d", available: false, unavailable: "Set A." }),
  ];
  const groups = groupModels(models, "");
  expect(groups.map(({ reason, models: members }) => [reason, members.map(({ id }) => id)])).toEqual([
    [null, ["a"]],
    ["Set A.", ["b", "d"]],
    ["Set B.", ["c"]],
  ]);
});

test("groups the default first, then favorites, then models by provider, also when only some are shown", () => {
  const models = [
    toModel({ id: "a/1", provider: "a", providerName: "A" }),
    toModel({ id: "b/1", provider: "b", providerName: "B", favorite: true }),
    toModel({ id: "a/2", provider: "a", providerName: "A" }),
    toModel({ id: "b/2", provider: "b", providerName: "B" }),
  ];
  const toIds = (groups: ReturnType<typeof groupModels>) =>
    groups.map(({ provider, models: members }) => [provider, members.map(({ id }) => id).join()]);
  const groups = groupModels(models, "b/2");
  expect(toIds(groups)).toEqual([
    [null, "b/2,b/1"],
    ["A", "a/1,a/2"],
  ]);
  expect(toIds(limitGroups(groups, 3))).toEqual([
    [null, "b/2,b/1"],
    ["A", "a/1"],
  ]);
  expect(toIds(limitGroups(groups, 2))).toEqual([[null, "b/2,b/1"]]);
});

test("reports when only the offline model can be used", () => {
  const offline = toModel({ id: "offline/stone", provider: "offline" });
  expect(isOnlyOffline([offline, toModel({ available: false })])).toBe(true);
  expect(isOnlyOffline([offline, toModel({})])).toBe(false);
  expect(isOnlyOffline([])).toBe(false);
});
