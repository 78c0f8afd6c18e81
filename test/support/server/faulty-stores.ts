import { setTimeout as pause } from "node:timers/promises";
import type { Batch, BatchResult, Store } from "../../../server/store/contract.ts";

/** Stores that break one guarantee each. A check that accepts them is useless. */
export const faultyStores = {
  /** Reports an admission as durable long before it is. */
  "early-ack": (store) => ({
    ...store,
    commit: async (batches) => {
      const real = batches.filter((batch) => !isAdmission(batch));
      const late = batches.filter(isAdmission);
      if (late.length > 0) void pause(LATE_MS).then(() => store.commit(late));
      const results = real.length > 0 ? await store.commit(real) : [];
      let next = 0;
      return batches.map((batch): BatchResult => (isAdmission(batch) ? promise(batch) : results[next++]!));
    },
  }),

  /** Lets every holder write, even one that lost its lease. */
  "no-fence": (store) => ({
    ...store,
    commit: async (batches) => store.commit(await Promise.all(batches.map((batch) => unfence(store, batch)))),
  }),

  /** Starts two reads and handles the second only after the first has resolved. */
  "late-listener": (store) => ({
    ...store,
    read: {
      ...store.read,
      thread: async (id) => {
        const [first, second] = [store.read.thread(id), store.read.thread(id)];
        await first;
        return second;
      },
    },
  }),
} as const satisfies Record<string, (store: Store) => Store>;

export type StoreFault = keyof typeof faultyStores;

const LATE_MS = 200;

const isAdmission = (batch: Batch): boolean => (batch.drive?.length ?? 0) > 0;

const promise = ({ events }: Batch): BatchResult => ({ ok: true, seqs: events.map(() => 0), epoch: null });

async function unfence(store: Store, batch: Batch): Promise<Batch> {
  const { fence } = batch;
  if (!fence || fence.acquire) return batch;
  const { epoch } = await store.read.lease(fence.stream);
  return { ...batch, fence: { ...fence, epoch } };
}
