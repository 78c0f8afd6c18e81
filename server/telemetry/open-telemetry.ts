import type { Config } from "../config/config.ts";
import { createStream } from "../net/open-stream.ts";
import type { Telemetry } from "./telemetry.ts";

type Outgoing = Pick<Parameters<typeof createStream>[0], "userAgent" | "clock" | "proxy">;

/** null: it is off, and its code is not loaded. The operator chose the endpoint, so it may be in the local network. */
export async function openTelemetry(
  config: Config["telemetry"],
  options: Outgoing & { readonly version: string; readonly onNote: (note: string) => void },
): Promise<Telemetry | null> {
  if (config === null) return null;
  const { hostname, port, protocol } = new URL(config.endpoint);
  const allowPrivate = [`${hostname}:${port || (protocol === "https:" ? "443" : "80")}`];
  const { createTelemetry } = await import("./telemetry.ts");
  return createTelemetry({ ...config, ...options, stream: createStream({ ...options, allowPrivate }) });
}
