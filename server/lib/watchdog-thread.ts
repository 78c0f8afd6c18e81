import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { BEATS, TICK_MS, TICKS_LEFT, type WatchdogSetup } from "./watchdog.ts";

const { shared, blockedTicks } = workerData as WatchdogSetup;
const cells = new Int32Array(shared);
let lastBeats = -1;
let stillTicks = 0;

setInterval(() => {
  const beats = Atomics.load(cells, BEATS);
  stillTicks = beats === lastBeats ? stillTicks + 1 : 0;
  lastBeats = beats;
  if (blockedTicks > 0 && stillTicks > blockedTicks) {
    end(
      `Stonechat is stopping because its event loop was blocked for ${Math.round((stillTicks * TICK_MS) / 1000)} seconds.`,
    );
  }
  const left = Atomics.load(cells, TICKS_LEFT);
  if (left > 0 && Atomics.sub(cells, TICKS_LEFT, 1) === 1) end("Stonechat did not stop in time and was killed.");
}, TICK_MS);

function end(message: string): void {
  try {
    writeSync(2, `${message}\n`);
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
}
