import type { Work, WorkEnd } from "../lib/observe.ts";
import { toAttributes, type Attributes } from "./otlp.ts";

/** Buckets that the semantic conventions for generative AI recommend. */
const bounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** Series beyond it are counted in none. */
const MAX_SERIES = 500;

type Series = {
  readonly name: string;
  readonly attributes: Attributes;
  readonly startedAt: number;
  readonly counts: number[];
  count: number;
  sum: number;
};

/** Histograms of durations in seconds, cumulative since the start of the process. */
export function createDurations(startedAt: number) {
  const all = new Map<string, Series>();
  let changed = false;
  return {
    record: (work: Work, end: WorkEnd, seconds: number): void => {
      const [name, attributes] = identify(work, end);
      const key = JSON.stringify([name, attributes]);
      const known = all.get(key);
      if (!known && all.size >= MAX_SERIES) return;
      const series = known ?? { name, attributes, startedAt, counts: bounds.map(() => 0).concat(0), count: 0, sum: 0 };
      all.set(key, series);
      const at = bounds.findIndex((bound) => seconds <= bound);
      const bucket = at < 0 ? bounds.length : at;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.count += 1;
      series.sum += seconds;
      changed = true;
    },
    /** Since the last list. */
    hasChanged: () => changed,
    list: (): readonly Series[] => {
      changed = false;
      return [...all.values()];
    },
  };
}

function identify(work: Work, { outcome, isFailure }: WorkEnd): readonly [string, Attributes] {
  const error: Attributes = isFailure ? { "error.type": outcome } : {};
  if (work.kind === "run") return ["stonechat.run.duration", { "stonechat.outcome": outcome }];
  if (work.kind === "commit") return ["stonechat.commit.duration", error];
  const operation = work.kind === "model" ? "chat" : "execute_tool";
  const subject: Attributes =
    work.kind === "model"
      ? { "gen_ai.provider.name": work.provider, "gen_ai.request.model": work.model }
      : { "gen_ai.tool.name": work.name };
  return ["gen_ai.client.operation.duration", { "gen_ai.operation.name": operation, ...subject, ...error }];
}

/** OTLP metrics, one for each name. */
export function toMetrics(all: readonly Series[], now: number) {
  return [...new Set(all.map(({ name }) => name))].map((name) => ({
    name,
    unit: "s",
    histogram: {
      // Cumulative.
      aggregationTemporality: 2,
      dataPoints: all
        .filter((one) => one.name === name)
        .map(({ attributes, startedAt, counts, count, sum }) => ({
          attributes: toAttributes(attributes),
          startTimeUnixNano: `${startedAt}000000`,
          timeUnixNano: `${now}000000`,
          count: String(count),
          sum,
          bucketCounts: counts.map(String),
          explicitBounds: bounds,
        })),
    },
  }));
}
