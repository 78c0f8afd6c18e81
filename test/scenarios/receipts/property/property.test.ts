import { describe, expect, test } from "vitest";
import { findPostgres } from "../../../support/postgres-binaries.ts";
import { createDatabase } from "../../../support/postgres.ts";
import { driveThreads, type DriveResult } from "./drive-threads.ts";

const isDeep = process.env["STONECHAT_DEEP"] === "1";
/** A deep run can be made in pieces: so many requests, from this seed on. */
const REQUESTS = Number(process.env["RECEIPT_REQUESTS"] ?? (isDeep ? 20_000 : 60));
const SEED = Number(process.env["RECEIPT_SEED"] ?? 1);
const PER_SEED = 500;
const TIMEOUT_MS = isDeep ? 90 * 60_000 : 120_000;

async function drive(env: Readonly<Record<string, string>>): Promise<DriveResult[]> {
  const driven: DriveResult[] = [];
  for (let sent = 0; sent < REQUESTS; sent += PER_SEED) {
    const requests = Math.min(PER_SEED, REQUESTS - sent);
    const one = await driveThreads({ seed: SEED + sent, requests, env, atOnce: isDeep ? 8 : 3 });
    if (isDeep) console.log(SEED + sent, JSON.stringify(one.counts), one.contradictions.slice(0, 5));
    driven.push(one);
  }
  return driven;
}

function expectTrue(driven: readonly DriveResult[]): void {
  const sum = (name: Exclude<keyof DriveResult["counts"], "policies">) =>
    driven.reduce((all, { counts }) => all + counts[name], 0);
  expect(driven.flatMap(({ contradictions }) => contradictions).slice(0, 20)).toEqual([]);
  expect(sum("requests")).toBeGreaterThanOrEqual(REQUESTS);
  expect(sum("compactions")).toBeGreaterThan(0);
  expect(sum("inAnswer")).toBeGreaterThan(0);
  // A smaller piece may not happen to have each of them.
  if (REQUESTS < 2_000) return;
  for (const name of ["withSummaries", "fallbacks", "tooLong", "branches", "shortenedResults"] as const)
    expect(sum(name)).toBeGreaterThan(0);
}

describe("every request: each message is in it, covered by a text in it, or named as left out, and the receipt is true", () => {
  test("on SQLite", { timeout: TIMEOUT_MS }, async () => expectTrue(await drive({})));

  test.skipIf(!findPostgres())("on PostgreSQL", { timeout: TIMEOUT_MS }, async () => {
    expectTrue(await drive({ STONECHAT_DATABASE_URL: await createDatabase() }));
  });

  test(
    "control: detects a server that reads summaries only for the first model call of an answer",
    { timeout: TIMEOUT_MS },
    async () => {
      const { contradictions } = await driveThreads({
        seed: 7,
        requests: 2_000,
        policies: ["stone"],
        stopAtFirst: true,
        onStart: ({ server }, isBegun) => {
          const { summariesOn } = server.store.read;
          Object.assign(server.store.read, {
            summariesOn: (...args: Parameters<typeof summariesOn>) =>
              isBegun() ? Promise.resolve([]) : summariesOn(...args),
          });
        },
      });
      expect(contradictions.join("\n")).toMatch(/was compacted and nothing covers it/);
    },
  );

  test.each(["stone", "summary", "snapshot"] as const)(
    "a receipt that does not say what a summary covers is caught under %s (control)",
    { timeout: TIMEOUT_MS },
    async (policy) => {
      const { contradictions } = await driveThreads({
        seed: 11,
        requests: 2_000,
        policies: [policy],
        stopAtFirst: true,
        alter: (receipt) => ({
          ...receipt,
          leftOut: receipt.leftOut.map((one) => ({
            ...one,
            coveredBy: one.coveredBy.filter((by) => by === "extract"),
          })),
        }),
      });
      expect(contradictions.join("\n")).toMatch(/in the request covers \d+, and the receipt does not say so/);
    },
  );
});
