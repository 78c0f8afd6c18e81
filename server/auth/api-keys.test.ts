import { expect, test } from "vitest";
import { keysInMemory } from "../../test/support/net/sessions.ts";
import type { RowOf } from "../store/schema.ts";
import { createApiKeys } from "./api-keys.ts";

test("a request is handled although its time cannot be stored, and that is tried once a minute", async () => {
  const time = { now: 1_900_000_000_000 };
  const clock = { now: () => time.now, monotonic: () => time.now };
  const rows: RowOf<"api_keys">[] = [];
  const created = await keysInMemory(clock, rows).create({ userId: "u" }, { id: "k", name: "k", scopes: ["read"] });
  const failures: unknown[] = [];
  const keys = createApiKeys({
    clock,
    read: { apiKeys: async () => rows, apiKeysByHash: async () => rows },
    log: { commit: () => Promise.reject(new Error("The disk is full.")) },
    onError: (error) => failures.push(error),
  });
  const findTwice = async () => [await keys.find(created.token), await keys.find(created.token)];
  const principal = { userId: "u", key: { id: "k", scopes: ["read"] } };
  expect(await findTwice()).toMatchObject([principal, principal]);
  expect(failures).toHaveLength(1);
  time.now += 60_000;
  expect(await findTwice()).toMatchObject([principal, principal]);
  expect(failures).toHaveLength(2);
});
