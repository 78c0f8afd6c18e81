import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runChaos, type ChaosReport } from "./chaos/run-chaos.ts";

/**
 * `npm run chaos`: kills a server 1,000 times at random moments and compares the acknowledged data with the stored data.
 * First a control: a server that acknowledges too early must be detected. Exits with 1 if anything is lost, duplicated, stuck
 * or contradictory, or if too few cases were exercised for a meaningful result.
 */
const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: "1000" },
    threads: { type: "string", default: "6" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    json: { type: "string" },
  },
});
const [cycles, threads, seed] = [Number(values.cycles), Number(values.threads), Number(values.seed)];
const LIVE_SHARE = 0.9;

console.log(`chaos: seed ${seed}. First the control: a server that acknowledges before it commits.`);
const control = await runChaos({ cycles: 8, seed, threads, fault: "early-ack" });
console.log(`control: ${control.lost.length} lost of ${control.acks} acknowledged (must be more than 0)`);

const startedAt = Date.now();
const report = await runChaos({ cycles, seed, threads, onCycle: tell });
const measures = toMeasures(report);
console.log(`\n${cycles} cycles in ${Math.round((Date.now() - startedAt) / 1000)} s`);
for (const { id, value, unit } of measures) console.log(`${id.padEnd(24)} ${String(value).padStart(10)} ${unit}`);
for (const kind of ["lost", "doubled", "stuck", "contradicted"] as const) {
  for (const sentence of report[kind].slice(0, 20)) console.log(`${kind}: ${sentence}`);
}
if (report.output.includes('"level"')) console.log(report.output.slice(0, 4000));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ measures }, null, 2)}\n`);

const faults = report.lost.length + report.doubled.length + report.stuck.length + report.contradicted.length;
const isTested = report.liveKills >= LIVE_SHARE * cycles && report.acks >= cycles && control.lost.length > 0;
if (!isTested) console.log("chaos: too little was put to the test for the figures to mean something.");
process.exit(faults === 0 && isTested ? 0 : 1);

function tell(cycle: number): void {
  if (cycle % 100 === 0 || cycle === cycles) console.log(`${cycle} of ${cycles} cycles, ${seconds()} s`);
}

function seconds(): number {
  return Math.round((Date.now() - startedAt) / 1000);
}

function toMeasures(report: ChaosReport) {
  const { cycles, acks, liveKills, recoveriesMs } = report;
  const p99 = recoveriesMs[Math.ceil(recoveriesMs.length * 0.99) - 1] ?? Number.NaN;
  const measure = (id: string, value: number, unit: string, n = cycles) => ({
    id,
    value,
    unit,
    low: value,
    high: value,
    n,
  });
  return [
    measure("chaos.cycles", cycles, "kills"),
    measure("chaos.acks", acks, "acts"),
    measure("chaos.live-share", Math.round((liveKills / cycles) * 1000) / 1000, ""),
    measure("chaos.lost", report.lost.length, ""),
    measure("chaos.doubled", report.doubled.length, ""),
    measure("chaos.stuck", report.stuck.length, ""),
    measure("chaos.contradicted", report.contradicted.length, ""),
    {
      ...measure("chaos.recover.p99-ms", Math.round(p99), "ms", recoveriesMs.length),
      low: Math.round(recoveriesMs[0] ?? 0),
      high: Math.round(recoveriesMs.at(-1) ?? 0),
    },
    measure("chaos.runs", report.runs, "runs"),
    measure("chaos.parked", report.parked, "runs"),
    measure("chaos.seams", report.seams, "loads"),
    measure("chaos.received", report.received, "events"),
    measure("chaos.effects", report.effects, "effects"),
  ];
}
