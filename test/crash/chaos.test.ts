import { expect, test } from "vitest";
import { runChaos } from "./chaos/run-chaos.ts";

/** Short version of `npm run chaos`. */
const isDeep = process.env["STONECHAT_DEEP"] === "1";
const cycles = isDeep ? 100 : 10;

test(`after ${cycles} kills at random moments nothing is lost, duplicated, stuck or contradictory`, async () => {
  let seams = 0;
  // A loaded view can be compared only if it and the followed one are at the same event, which depends on the machine.
  for (let seed = 1; seed < 5 && seams === 0; seed += 1) {
    const report = await runChaos({ cycles, seed });
    const { lost, doubled, stuck, contradicted } = report;
    expect({ lost, doubled, stuck, contradicted }).toEqual({ lost: [], doubled: [], stuck: [], contradicted: [] });
    expect(report.liveKills / cycles).toBeGreaterThanOrEqual(0.9);
    expect(report.acks).toBeGreaterThanOrEqual(cycles);
    expect(report.recoveriesMs.length).toBeGreaterThan(0);
    seams += report.seams;
  }
  expect(seams).toBeGreaterThan(0);
});

test("control: detects a server that acknowledges before it commits", async () => {
  const lost: string[] = [];
  // How many kills hit the time between acknowledgement and commit depends on the machine.
  for (let seed = 2; seed < 12 && lost.length === 0; seed += 1) {
    const report = await runChaos({ cycles: 4, seed, fault: "early-ack" });
    expect(report.acks).toBeGreaterThan(0);
    lost.push(...report.lost);
  }
  expect(lost).not.toEqual([]);
});
