import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { readConfig } from "../../../server/config/config.ts";
import { serve } from "../../../server/serve.ts";
import { createEffects } from "./effects.ts";
import { createFailpoints } from "./failpoint.ts";
import { faultyStores, type StoreFault } from "./faulty-stores.ts";

/**
 * A server as a process of its own, with the tools of `effects.ts`. It loads everything, then waits for its order on stdin,
 * so that a test can keep one in reserve; later lines arm failpoints. It dies with whoever holds the other end.
 */
export type Order =
  | { readonly do: "serve"; readonly env: Readonly<Record<string, string>>; readonly fault: StoreFault | null }
  | { readonly do: "arm"; readonly failpoint: string };

const failpoints = createFailpoints();
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const order = JSON.parse(line) as Order;
  if (order.do === "serve") return void start(order);
  failpoints.arm(order.failpoint);
  console.log(`armed: ${order.failpoint}`);
});
lines.once("close", () => process.kill(process.pid, "SIGKILL"));

async function start({ env, fault }: Order & { do: "serve" }): Promise<void> {
  const config = readConfig(env);
  failpoints.arm(config.failpoint);
  const server = await serve(config, {
    tools: createEffects(config.dataDir) as never,
    failpoint: failpoints.pass,
    ...(fault ? { wrapStore: faultyStores[fault] } : {}),
  });
  console.log(`Stonechat is ready: ${server.url}`);
  process.once("SIGTERM", () => void server.close().then(() => process.exit(0)));
  flushCompileCache();
}
