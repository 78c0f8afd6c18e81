import { execFileSync, spawn } from "node:child_process";
import { expect, test } from "vitest";
import { readCpuBusyUs, readTreeCpuUs } from "./process-cpu.ts";

const busy = "for (const end = Date.now() + 300; Date.now() < end;);";

test.skipIf(process.platform !== "linux")("counts running children and children that ended", async () => {
  const before = readTreeCpuUs(process.pid);
  execFileSync(process.execPath, ["-e", busy]);
  const afterEnded = readTreeCpuUs(process.pid);
  expect(afterEnded - before).toBeGreaterThan(50_000);

  const child = spawn(process.execPath, ["-e", `${busy} console.log("done"); setInterval(() => {}, 1000);`]);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  expect(readTreeCpuUs(process.pid) - afterEnded).toBeGreaterThan(50_000);
  child.kill();
});

test.skipIf(process.platform !== "linux")("reads how long a core was in use", () => {
  const before = readCpuBusyUs(0);
  expect(before).toBeGreaterThan(0);
  expect(readCpuBusyUs(0)).toBeGreaterThanOrEqual(before);
  expect(readCpuBusyUs(9999)).toBe(0);
});
