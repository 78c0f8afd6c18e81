import type { CostRow } from "../../protocol/cost.ts";
import { toPurpose } from "../labels/context.ts";
import { usePage } from "../state/page.ts";
import { toPath } from "../state/route.ts";
import { formatDay } from "../lib/dates.ts";
import { groupDigits } from "../lib/format.ts";
import { toAmount } from "../labels/cost.ts";
import { describeRow } from "./describe-costs.ts";
import { measures, type Measure } from "./measures.ts";
import { usage as strings } from "../strings/usage.ts";

type Props = {
  readonly by: keyof typeof strings.groups;
  readonly rows: readonly CostRow[];
  readonly measure: Measure;
};

/** One line per day, model, thread or purpose; the bars repeat the figures. */
export const CostBars = ({ by, rows, measure }: Props) => {
  const { read, format } = measures[measure];
  const max = Math.max(0, ...rows.map(read));
  const total = rows.reduce((sum, { costUsd }) => sum + costUsd, 0);
  const unpriced = rows.reduce((sum, one) => sum + one.unpriced, 0);
  return (
    <>
      <ul aria-label={strings.list} className="grid gap-1">
        {rows.map((row) => (
          <li key={row.key} className="rounded-xl bg-raised px-4 py-2.5">
            <p className="flex items-baseline gap-3 text-sm">
              <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
                <Name by={by} row={row} />
              </span>
              <span className="flex-none tabular-nums">{format(read(row))}</span>
            </p>
            <div aria-hidden="true" className="my-1.5 h-1.5 overflow-hidden rounded-full bg-hover">
              <div
                className="h-full rounded-full bg-accent"
                style={{ width: `${max === 0 ? 0 : (read(row) / max) * 100}%` }}
              />
            </div>
            <p className="text-xs text-soft tabular-nums">{describeRow(row)}</p>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-sm text-soft">
        {strings.total(toAmount(total))} {unpriced > 0 && strings.unpriced(unpriced, groupDigits(unpriced))}
      </p>
    </>
  );
};

const Name = ({ by, row: { key, label } }: { readonly by: Props["by"]; readonly row: CostRow }) => {
  const { sheet } = usePage();
  if (by === "purpose") return toPurpose(key);
  if (by === "day") return formatDay(key);
  if (by === "thread" && label === "") return <span className="text-soft italic">{strings.deletedThread}</span>;
  if (by !== "thread") return label || key;
  return (
    <a href={toPath(key)} onClick={() => sheet.set(null)} className="underline-offset-2 hover:underline">
      {label}
    </a>
  );
};
