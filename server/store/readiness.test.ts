import { expect, test } from "vitest";
import { DamagedPageError, StorageFull } from "./failure.ts";
import { createReadiness } from "./readiness.ts";

function create() {
  let [nowMs, isFull] = [0, false];
  const probes: number[] = [];
  const probe = async (text: string) => {
    probes.push(text.length);
    if (isFull) throw new StorageFull("full");
  };
  const readiness = createReadiness({ probe, monotonic: () => nowMs });
  return {
    ...readiness,
    probes,
    setFull: (full: boolean) => (isFull = full),
    pass: (ms: number) => (nowMs += ms),
  };
}

test("probes only when there was no recent write", async () => {
  const { watch, check, probes, pass } = create();
  await watch(Promise.resolve());
  await check();
  expect(probes).toEqual([]);
  pass(10_000);
  await check();
  expect(probes).toHaveLength(1);
});

test("is ready again after a failed write only when a large write succeeds", async () => {
  const { watch, check, probes, setFull } = create();
  setFull(true);
  await expect(watch(Promise.reject(new StorageFull("full")))).rejects.toThrow("full");
  await expect(check()).rejects.toThrow("full");
  setFull(false);
  await check();
  expect(probes.some((length) => length > 200_000)).toBe(true);
  await check();
  expect(probes).toHaveLength(3);
});

test("a commit that wrote nothing does not hide a failed write", async () => {
  const { watch, check, setFull } = create();
  setFull(true);
  await expect(watch(Promise.reject(new StorageFull("full")))).rejects.toThrow("full");
  await watch(Promise.resolve());
  await expect(check()).rejects.toThrow("full");
});

test("concurrent checks share one probe", async () => {
  const { check, probes } = create();
  await Promise.all([check(), check(), check()]);
  expect(probes).toHaveLength(1);
});

test("damage is permanent; a failed read expires", async () => {
  const { check, reportDamage, isDamaged, pass } = create();
  reportDamage(new DamagedPageError("a failed read", false));
  await expect(check()).rejects.toThrow("a failed read");
  pass(61_000);
  await check();
  reportDamage(new DamagedPageError("a damaged page", true));
  reportDamage(new DamagedPageError("a failed read", false));
  pass(61_000);
  await expect(check()).rejects.toThrow("a damaged page");
  expect(isDamaged()).toBe(true);
});
