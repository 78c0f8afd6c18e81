import { expect, test } from "vitest";
import { createPasswords } from "./passwords.ts";

const from = { network: "192.0.2.1", isKnown: false };

test("stores scrypt with N = 2^17, a new salt each time, and accepts the same text in other Unicode forms", async () => {
  const passwords = createPasswords();
  const stored = await passwords.hash("correct \u00e9\u00e9\u00e9 horse", from);
  expect(stored).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/);
  expect(await passwords.verify("correct e\u0301e\u0301e\u0301 horse", stored, from)).toBe(true);
  expect(await passwords.verify("correct eee horse", stored, from)).toBe(false);
}, 30_000);

test("does the work for an unknown account too, and never accepts it", async () => {
  const passwords = createPasswords({ ln: 14, r: 8, p: 1 });
  const stored = await passwords.hash("a password for tests", from);
  const measure = async (of: string | undefined) => {
    const times: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const startedAt = process.cpuUsage();
      expect(await passwords.verify("another password", of, from)).toBe(false);
      const { user, system } = process.cpuUsage(startedAt);
      times.push(user + system);
    }
    return times.toSorted((a, b) => a - b)[4] ?? 0;
  };
  const [known, unknown] = [await measure(stored), await measure(undefined)];
  expect(unknown).toBeGreaterThan(known / 3);
  expect(unknown).toBeLessThan(known * 3);
}, 30_000);

test("hashes made with other work factors stay valid", async () => {
  const stored = await createPasswords({ ln: 4, r: 8, p: 1 }).hash("a password for tests", from);
  expect(await createPasswords({ ln: 5, r: 8, p: 2 }).verify("a password for tests", stored, from)).toBe(true);
});

test("a network with many requests cannot keep others from their turn, and known networks go first", async () => {
  const passwords = createPasswords({ ln: 12, r: 8, p: 1 });
  const order: string[] = [];
  const verify = (network: string, isKnown: boolean) =>
    passwords.verify("a password", undefined, { network, isKnown }).then(
      () => order.push(network),
      (error: { code: string }) => order.push(`${network} ${error.code}`),
    );
  const flood = Array.from({ length: 100 }, () => verify("stranger", false));
  const known = verify("owner", true);
  const other = verify("other", false);
  await Promise.all([...flood, known, other]);
  expect(order.filter((one) => one === "stranger busy")).toHaveLength(90);
  expect(order.filter((one) => one === "stranger")).toHaveLength(10);
  const served = order.filter((one) => !one.endsWith("busy"));
  expect(served.indexOf("owner")).toBeLessThanOrEqual(3);
  expect(served).toContain("other");
});

test("strangers from many networks cannot fill the queue for known networks, and the newest of them give way", async () => {
  const passwords = createPasswords({ ln: 12, r: 8, p: 1 });
  const order: string[] = [];
  const verify = (network: string, isKnown: boolean, name = network) =>
    passwords.verify("a password", undefined, { network, isKnown }).then(
      () => order.push(name),
      (error: { code: string }) => order.push(`${name} ${error.code}`),
    );
  const networks = Array.from({ length: 20 }, (_, n) => `stranger-${n}`);
  const flood = networks.flatMap((network) =>
    Array.from({ length: 10 }, (_, n) => verify(network, false, `${network}/${n}`)),
  );
  // Two of these share a network with a stranger who has filled its places.
  const owners = [verify("stranger-0", true, "owner-0"), verify("stranger-1", true, "owner-1")];
  const others = Array.from({ length: 10 }, (_, n) => verify(`home-${n}`, true));
  const late = verify("late-stranger", false);
  await Promise.all([...flood, ...owners, ...others, late]);
  const served = order.filter((one) => !one.endsWith(" busy"));
  const isOwner = (one: string) => one.startsWith("owner") || one.startsWith("home");
  expect(served.filter(isOwner)).toHaveLength(12);
  expect(order).toContain("late-stranger busy");
  // Two ran at once and 64 waited, of whom twelve gave way: the newest ones.
  const strangers = served.filter((one) => !isOwner(one));
  expect(strangers).toHaveLength(2 + 64 - 12);
  expect(strangers.filter((one) => /stranger-(?:[0-5])\//.test(one)).length).toBe(2 + 6 * 8);
  expect(strangers.filter((one) => /stranger-6\//.test(one)).toSorted()).toEqual(
    [0, 1, 2, 3].map((n) => `stranger-6/${n}`),
  );
  // Known networks are served before the 52 strangers who wait. A stranger who is served at the same time as the last of them may finish first.
  expect(served.findLastIndex(isOwner)).toBeLessThan(2 + 12 + 8);
});

test("a known network cannot fill the queue for other known ones, and a full queue of known ones refuses more", async () => {
  const passwords = createPasswords({ ln: 12, r: 8, p: 1 });
  const results = await Promise.allSettled(
    Array.from({ length: 90 }, (_, n) =>
      passwords.verify("a password", undefined, { network: `home-${n % 9}`, isKnown: true }),
    ),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2 + 64);
});
