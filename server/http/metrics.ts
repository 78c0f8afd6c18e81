import { collectDefaultMetrics, Gauge, Registry } from "@prometheus-io/client";

/** Gauges read when `/metrics` is requested: nothing is counted twice, and nothing on the path of a token. */
export type Figures = Readonly<Record<string, { readonly help: string; readonly read: () => number }>>;

export function createMetrics(figures: Figures): () => Promise<string> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const [name, { help, read }] of Object.entries(figures)) {
    const gauge: Gauge = new Gauge({
      name: `stonechat_${name}`,
      help,
      registers: [registry],
      collect: (): void => gauge.set(read()),
    });
  }
  return () => registry.metrics();
}
