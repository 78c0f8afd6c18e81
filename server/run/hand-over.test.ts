import { expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { startInstance } from "../../test/support/instance.ts";
import { until } from "../../test/support/server/until.ts";
import type { Store } from "../store/contract.ts";
import { StorageFull, Unavailable } from "../store/failure.ts";
import { isOutage, releaseThread } from "./hand-over.ts";

const OUTAGES = 5;

test(`an answer that meets ${OUTAGES} outages of the database is not parked, because no process crashed`, async () => {
  let [isDown, refused] = [false, 0];
  const refuse = (): never => {
    refused += 1;
    throw new Unavailable("The database is not reachable.");
  };
  const instance = await startInstance({
    env: { STONECHAT_LEASE_MS: "300" },
    wrapStore: (store): Store => ({
      ...store,
      commit: async (batches) => (isDown ? refuse() : store.commit(batches)),
      renewLeases: async (...args) => (isDown ? refuse() : store.renewLeases(...args)),
    }),
  });
  const threadId = await instance.start({ model: "scripted/script" });
  const live = instance.follow(threadId);
  await instance.send(threadId, "say 400 words every 10ms");
  for (let outage = 1; outage <= OUTAGES; outage += 1) {
    const before = textOf(live.view().messages.at(-1)?.parts ?? []).length;
    await live.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []).length > before);
    isDown = true;
    const refusedBefore = refused;
    // The failed write of the answer, and at least two failed attempts to release its lease.
    await until("the release was tried", async () => refused >= refusedBefore + 4);
    isDown = false;
  }
  const run = await live.ended();
  expect(run).toMatchObject({ outcome: "done", reason: null });
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toContain("w400");
  expect(refused).toBeGreaterThanOrEqual(OUTAGES * 4);
});

test.each([
  ["fails for another reason", () => new Error("a bug"), false],
  ["fails while the server shuts down", () => new Unavailable("gone"), true],
])("the release is tried once if it %s", async (_, toError, isClosing) => {
  let tries = 0;
  const commit = async (): Promise<never> => {
    tries += 1;
    throw toError();
  };
  const release = { threadId: "t", epoch: 1, isHandedOver: true, isDraining: () => isClosing };
  await releaseThread({ log: { commit } as never }, release);
  expect(tries).toBe(1);
});

test("a full disk is an outage, a bug is not", () => {
  expect([new StorageFull("full"), new Unavailable("gone"), new Error("bug")].map(isOutage)).toEqual([
    true,
    true,
    false,
  ]);
});
