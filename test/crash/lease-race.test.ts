import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { userStream } from "../../protocol/ids.ts";
import type { BatchResult, Store } from "../../server/store/contract.ts";
import { openPostgres } from "../../server/store/postgres/open.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { batch, event } from "../support/store-rows.ts";

/** Nodes with separate connections repeatedly compete for the same lease. */
const isDeep = process.env["STONECHAT_DEEP"] === "1";
const rounds = isDeep ? 10_000 : 200;
const nodes = 4;
const LONG_MS = 600_000;
const stream = userStream("wanted");

/** One attempt. The row written under the lease names the node. */
type Contend = (store: Store, node: number, epoch: number) => Promise<BatchResult | undefined>;

const contend: Contend = async (store, node, epoch) => {
  const acquire = { holder: `node ${node}`, ttlMs: LONG_MS };
  const [taken] = await store.commit([
    batch({ fence: { stream, epoch, acquire }, events: [event(stream, `"${node}"`)] }),
  ]);
  return taken;
};

/** Control: checks the lease before the write instead of in it. */
const contendUnfenced: Contend = async (store, node, epoch) => {
  const { free } = await store.read.lease(stream);
  if (!free) return { ok: false, why: "fenced" };
  const [written] = await store.commit([batch({ events: [event(stream, `"${node}"`)] })]);
  return written?.ok ? { ...written, epoch: epoch + 1 } : written;
};

describe.skipIf(!findPostgres())(`${nodes} nodes competing for one lease`, () => {
  let stores: readonly Store[] = [];
  beforeAll(async () => {
    const url = await createDatabase();
    const first = await openPostgres({ url });
    stores = [first, ...(await Promise.all(Array.from({ length: nodes - 1 }, () => openPostgres({ url }))))];
    await first.commit([batch({ events: [event(stream)] })]);
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
  });

  const race = async (times: number, how: Contend) => {
    const owners: number[] = [];
    let refused = 0;
    for (let round = 0; round < times; round += 1) {
      const { epoch } = await stores[0]!.read.lease(stream);
      const results = await Promise.all(stores.map((store, node) => how(store, node, epoch)));
      owners.push(results.filter((result) => result?.ok).length);
      refused += results.filter((result) => result?.ok === false && result.why === "fenced").length;
      const winner = results.findIndex((result) => result?.ok);
      await stores[winner]?.commit([batch({ fence: { stream, epoch: epoch + 1, release: true } })]);
    }
    return { owners, refused };
  };

  test(`each of ${rounds} claims has exactly one holder`, async () => {
    const before = await stores[0]!.read.lease(stream);
    const { owners, refused } = await race(rounds, contend);
    expect(owners.filter((count) => count !== 1)).toEqual([]);
    expect(refused).toBe(rounds * (nodes - 1));
    const after = await stores[0]!.read.lease(stream);
    expect([after.epoch - before.epoch, after.head - before.head]).toEqual([rounds, rounds]);
  });

  test("control: several nodes get the lease if the write is not fenced", async () => {
    const { owners } = await race(20, contendUnfenced);
    expect(owners.filter((count) => count > 1)).not.toEqual([]);
  });
});
