import { expect, test } from "vitest";
import { measureValid } from "./valid.ts";

const isDeep = process.env["STONECHAT_DEEP"] === "1";
const threads = isDeep ? 100_000 : 300;

test("no thread under any policy gives a request that a provider would refuse", { timeout: 3_600_000 }, async () => {
  const valid = await measureValid({ threads, seed: 20_261_115 });
  expect(valid.samples).toEqual([]);
  expect(valid.violations).toBe(0);
  expect(valid.requests).toBe(threads * 11);
  expect(Object.keys(valid.policies)).toHaveLength(6);
  const features = Object.entries(valid.features);
  expect(features.map(([name]) => name).toSorted()).toHaveLength(14);
  for (const [name, count] of features) expect(count, name).toBeGreaterThan(threads / 30);
  console.log(`${valid.requests} requests of ${threads} threads: ${JSON.stringify(valid.features)}`);
});

test("bodies that are spoiled on their way are found (control)", async () => {
  const spoil = (body: string) => body.replaceAll(/"(call_id|tool_use_id|tool_call_id)":"[^"]*"/g, '"$1":"lost"');
  const { violations } = await measureValid({ threads: 60, seed: 7, spoil });
  expect(violations).toBeGreaterThan(20);
});
