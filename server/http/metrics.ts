import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { Observe } from "../lib/observe.ts";
import type { StreamCounts } from "./sse.ts";

/** Gauges by name. They are read when `/metrics` is requested, so they cost nothing while answers stream. */
export type Gauges = Readonly<
  Record<string, { readonly help: string; readonly read: (streams: StreamCounts) => number }>
>;

/** Read from the database when `/metrics` is requested: of all nodes. */
export type InstanceCounts = {
  readonly runsActive: number;
  readonly runsWaiting: number;
  readonly inputsQueued: number;
  readonly databaseBytes: number;
};

export type Metrics = {
  /** Counts runs, model calls and tool calls of this process. */
  readonly observe: Observe;
  readonly onCommit: (ms: number) => void;
  readonly toText: (
    gauges: Gauges,
    counts: () => Promise<InstanceCounts>,
  ) => (streams: StreamCounts) => Promise<string>;
};

const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const shortSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** Tools of MCP servers have any names. A label with too many values would use more and more memory. */
const MOST_TOOLS = 100;

export function createMetrics(monotonic: () => number): Metrics {
  const registry = new Registry();
  // By default the event loop is sampled ten times a second, which costs a serving core two percent and wakes an idle process.
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: 1000 });
  const registers = [registry];
  const histogram = <L extends string>(name: string, help: string, labelNames: L[], buckets: number[]) =>
    new Histogram({ name: `stonechat_${name}`, help, labelNames, buckets, registers });
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name: `stonechat_${name}`, help, labelNames, registers });
  const runs = counter("runs_total", "Runs that this process drove, by how that ended", ["outcome"]);
  const waits = histogram("queue_wait_seconds", "From a message to the start of its run", [], seconds);
  const calls = histogram("model_call_seconds", "Duration of model calls", ["provider", "outcome"], seconds);
  const tokens = counter("model_tokens_total", "Tokens of model calls", ["provider", "direction"]);
  const tools = histogram("tool_call_seconds", "Duration of tool calls", ["tool", "outcome"], seconds);
  const commits = histogram("commit_seconds", "Duration of transactions of the log", [], shortSeconds);
  const state = new Gauge({
    ...{ name: "stonechat_runs_open", help: "Runs that have not ended, and inputs without a run, of all nodes" },
    ...{ labelNames: ["state"], registers },
  });
  const size = new Gauge({ name: "stonechat_database_bytes", help: "Size of the database", registers });
  const known = new Set<string>();
  const toToolLabel = (name: string): string => {
    if (known.size < MOST_TOOLS) known.add(name);
    return known.has(name) ? name : "other";
  };

  return {
    onCommit: (ms) => commits.observe(ms / 1000),
    observe: (work) => {
      const startedAt = monotonic();
      if (work.kind === "run" && work.waitedMs !== null) waits.observe(work.waitedMs / 1000);
      return ({ outcome, usage }) => {
        const took = (monotonic() - startedAt) / 1000;
        if (work.kind === "run") runs.inc({ outcome });
        if (work.kind === "tool") tools.observe({ tool: toToolLabel(work.name), outcome }, took);
        if (work.kind !== "model") return;
        const { provider } = work;
        calls.observe({ provider, outcome }, took);
        tokens.inc({ provider, direction: "input" }, usage?.inputTokens ?? 0);
        tokens.inc({ provider, direction: "output" }, usage?.outputTokens ?? 0);
      };
    },
    toText: (gauges, readCounts) => {
      const registered = Object.entries(gauges).map(([name, { help, read }]) => ({
        gauge: new Gauge({ name: `stonechat_${name}`, help, registers }),
        read,
      }));
      return async (streams) => {
        const counts = await readCounts();
        state.set({ state: "active" }, counts.runsActive);
        state.set({ state: "waiting" }, counts.runsWaiting);
        state.set({ state: "queued" }, counts.inputsQueued);
        size.set(counts.databaseBytes);
        for (const { gauge, read } of registered) gauge.set(read(streams));
        return registry.metrics();
      };
    },
  };
}
