import { flushCompileCache } from "node:module";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { readConfig } from "../../../server/config/config.ts";
import { runUntilSignal } from "../../../server/lib/run-until-signal.ts";
import { serve } from "../../../server/serve.ts";
import { createEffects } from "./effects.ts";
import { createFailpoints } from "./failpoint.ts";
import { faultyStores, type StoreFault } from "./faulty-stores.ts";

/**
 * A server in a separate process, with the tools of `effects.ts`. It loads everything, then waits for an order on
 * stdin, so that a test can keep one in reserve; later lines arm failpoints. It exits when its stdin closes.
 */
export type Order =
  | { readonly do: "serve"; readonly env: Readonly<Record<string, string>>; readonly fault: StoreFault | null }
  | { readonly do: "arm"; readonly failpoint: string }
  /** Reports the event loop's delay since the last report, and since the last one with `fresh`. */
  | { readonly do: "delay"; readonly id: number; readonly fresh: boolean };

const failpoints = createFailpoints();
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const order = JSON.parse(line) as Order;
  if (order.do === "serve") return void start(order);
  if (order.do === "delay") return reportDelay(order);
  failpoints.arm(order.failpoint);
  console.log(`armed: ${order.failpoint}`);
});
lines.once("close", () => process.kill(process.pid, "SIGKILL"));

const RESOLUTION_MS = 5;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
const longDelay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
longDelay.enable();
const readCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let cpuBefore = 0;
let tickBefore = 0;
let heldMs = 0;
setInterval(() => {
  const now = readCpuMs();
  heldMs = Math.max(heldMs, now - tickBefore - RESOLUTION_MS);
  tickBefore = now;
}, RESOLUTION_MS).unref();

function reportDelay({ id, fresh }: Order & { do: "delay" }): void {
  const toMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const cpuMs = readCpuMs() - cpuBefore;
  cpuBefore += cpuMs;
  const figures = [toMs(delay.max), toMs(delay.percentile(99)), cpuMs, heldMs, toMs(longDelay.percentile(99))];
  console.log(`delay ${id}: ${figures.join(" ")};`);
  delay.reset();
  if (fresh) longDelay.reset();
  heldMs = 0;
}

async function start({ env, fault }: Order & { do: "serve" }): Promise<void> {
  const config = readConfig(env);
  failpoints.arm(config.failpoint);
  const server = await serve(config, {
    tools: createEffects(config.dataDir) as never,
    failpoint: failpoints.pass,
    ...(fault ? { wrapStore: faultyStores[fault] } : {}),
  });
  runUntilSignal({ ...server, graceMs: config.graceMs, blockedMs: config.blockedMs });
  console.log(`Stonechat is ready: ${server.url}`);
  flushCompileCache();
}
