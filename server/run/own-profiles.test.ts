import { expect, test } from "vitest";
import { readConfig } from "../config/config.ts";
import type { RowOf } from "../store/schema.ts";
import { createProfiles } from "./profiles.ts";
import { loadProfile, type OwnProfile } from "./own-profiles.ts";

const own: OwnProfile = {
  v: 1,
  instructions: "Mine.",
  tools: ["now"],
  limits: { steps: 9, calls: 30, tokens: 100, costUsd: 4, seconds: 500, perTool: { now: 1 } },
  policy: "messages",
  model: null,
};
const row: RowOf<"profiles"> = {
  owner: "ann",
  id: "mine",
  name: "Mine",
  source: "builder",
  version: 3,
  body: JSON.stringify(own),
  created_at: 1,
  updated_at: 1,
};
const load = (env: Record<string, string>, owner: string, id: string) =>
  loadProfile(
    {
      profiles: createProfiles(readConfig(env)),
      store: { read: { profile: async (asked, of) => (asked === "ann" && of === "mine" ? row : undefined) } },
    },
    owner,
    id,
  );

test("an own profile has the name of its source and its own instructions and limits", async () => {
  const { wallMs, ...limits } = (await load({}, "ann", "mine")).limits;
  const { seconds, ...wanted } = own.limits;
  expect(limits).toEqual(wanted);
  expect(wallMs).toBe(seconds * 1000);
  expect(await load({}, "ann", "mine")).toMatchObject({ name: "builder", instructions: "Mine.", version: 3 });
});

test("limits that the operator lowered later also apply to own profiles", async () => {
  const env = {
    STONECHAT_MAX_CALLS: "5",
    STONECHAT_MAX_SECONDS: "60",
    STONECHAT_MAX_COST_USD: "0.5",
    FASTCHAT_MAX_TOOL_CALLS: "5",
  };
  const { limits } = await load(env, "ann", "mine");
  expect(limits).toMatchObject({ calls: 5, wallMs: 60_000, costUsd: 0.5, steps: 9 });
});

test("a profile of another user or a deleted one is replaced by stone with isFallback", async () => {
  for (const [owner, id] of [
    ["bob", "mine"],
    ["ann", "gone"],
  ] as const) {
    expect(await load({}, owner, id)).toMatchObject({ name: "stone", isFallback: true });
  }
  expect((await load({}, "ann", "stone")).isFallback).toBeUndefined();
});
