import { collectDefaultMetrics, Gauge, Registry } from "@prometheus-io/client";
import type { StreamCounts } from "./sse.ts";

/** Gauges by name. They are read when `/metrics` is requested, so they cost nothing while answers stream. */
export type Gauges = Readonly<
  Record<string, { readonly help: string; readonly read: (streams: StreamCounts) => number }>
>;

export function createMetrics(gauges: Gauges): (streams: StreamCounts) => Promise<string> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registered = Object.entries(gauges).map(([name, { help, read }]) => ({
    gauge: new Gauge({ name: `stonechat_${name}`, help, registers: [registry] }),
    read,
  }));
  return (streams) => {
    for (const { gauge, read } of registered) gauge.set(read(streams));
    return registry.metrics();
  };
}
