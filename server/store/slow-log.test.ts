import { expect, test } from "vitest";
import { describeStores } from "../../test/support/stores.ts";
import { logSlow } from "./slow-log.ts";

describeStores("the log of slow queries", (bench) => {
  test("names reads and transactions that take long, without values, and passes their results on", async () => {
    let now = 0;
    const reported: object[] = [];
    const clock = { monotonic: () => (now += 40) };
    const slow = logSlow(bench.store(), { thresholdMs: 30, clock, report: (fields) => reported.push(fields) });
    const key = bench.id("secret");
    const write = { do: "put", table: "meta", row: { key, value: "v" } } as const;
    expect(await slow.commit([{ events: [], writes: [write] }])).toMatchObject([{ ok: true }]);
    expect(await slow.read.meta(key)).toBe("v");
    expect(await slow.read.together((reads) => reads.meta(key))).toBe("v");
    expect(reported).toEqual([
      { query: "commit meta", ms: 40 },
      { query: "meta", ms: 40 },
      { query: "together", ms: 40 },
    ]);
    expect(JSON.stringify(reported)).not.toContain("secret");
    const quick = logSlow(bench.store(), { thresholdMs: 50, clock, report: (fields) => reported.push(fields) });
    await quick.read.meta(key);
    expect(reported).toHaveLength(3);
  });
});
