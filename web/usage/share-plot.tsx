import { useMemo } from "react";
import type { CostRow } from "../../protocol/cost.ts";
import { layoutShares } from "./share-layout.ts";
import { measures, type Measure } from "./measures.ts";
import { usage as strings } from "../strings/usage.ts";

type Props = {
  readonly rows: readonly CostRow[];
  readonly measure: Measure;
  readonly toName: (row: CostRow) => string;
};

/** In the order of the shares, largest first. */
const colors = ["log", "head", "now", "tools", "system", "rest"] as const;
const toColor = (index: number): string => {
  const name = colors[Math.min(index, colors.length - 1)];
  return name === "rest" ? "var(--line-strong)" : `var(--slot-${name})`;
};

const size = 132;
const radius = 52;
const strokeWidth = 20;
const circumference = 2 * Math.PI * radius;
const gap = 2;

/** The parts of the total as a ring; the list next to it has names and figures. */
export const SharePlot = ({ rows, measure, toName }: Props) => {
  const shares = useMemo(() => layoutShares(rows, measure), [rows, measure]);
  const names = new Map(rows.map((row) => [row.key, toName(row)]));
  const { format, formatShort } = measures[measure];
  const total = shares.reduce((sum, { value }) => sum + value, 0);
  if (shares.length === 0) return null;
  const toLabel = (keys: readonly string[]): string =>
    keys.length === 1 ? (names.get(keys[0] ?? "") ?? "") : strings.shares.others(keys.length);
  const parts = shares
    .map(({ keys, value, share }) => strings.shares.part(toLabel(keys), format(value), toPercent(share)))
    .join("; ");
  return (
    <figure className="mb-3 flex flex-wrap items-center gap-x-6 gap-y-3 rounded-2xl bg-raised p-4">
      <svg
        role="img"
        aria-label={strings.shares.label(measures[measure].name, format(total), parts)}
        width={size}
        height={size}
        viewBox={`0 0 ${size} ${size}`}
        className="mx-auto flex-none sm:mx-0"
      >
        <g transform={`rotate(-90 ${size / 2} ${size / 2})`}>
          {shares.map(({ keys, share, from }, index) => (
            <circle
              key={keys.join()}
              cx={size / 2}
              cy={size / 2}
              r={radius}
              fill="none"
              stroke={toColor(index)}
              strokeWidth={strokeWidth}
              strokeDasharray={`${Math.max(1, share * circumference - (shares.length > 1 ? gap : 0))} ${circumference}`}
              strokeDashoffset={-from * circumference}
            />
          ))}
        </g>
        <text
          x={size / 2}
          y={size / 2 + 5}
          textAnchor="middle"
          className="fill-ink text-base font-semibold tabular-nums"
        >
          {formatShort(total)}
        </text>
      </svg>
      <ul aria-hidden="true" className="grid min-w-44 flex-1 gap-1.5 text-sm">
        {shares.map(({ keys, value, share }, index) => (
          <li key={keys.join()} className="flex items-center gap-2">
            <span className="size-2.5 flex-none rounded-full" style={{ background: toColor(index) }} />
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {toLabel(keys)}
            </span>
            <span className="flex-none text-xs text-soft tabular-nums">{toPercent(share)}</span>
            <span className="w-16 flex-none text-end text-xs tabular-nums">{formatShort(value)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
};

const toPercent = (share: number): string =>
  share < 0.01 ? strings.shares.underOnePercent : strings.shares.percent(Math.round(share * 100));
