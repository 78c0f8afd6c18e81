import { useState } from "react";
import { toPurpose } from "../labels/context.ts";
import { usePage } from "../state/page.ts";
import { Sheet } from "../ui/sheet.tsx";
import { useLoad } from "../lib/use-load.ts";
import { Budgets } from "./budgets.tsx";
import { Segmented, toOptions } from "../ui/segmented.tsx";
import type { Response } from "../../protocol/api.ts";
import type { CostRow } from "../../protocol/cost.ts";
import { groupDigits } from "../lib/format.ts";
import { CostBars } from "./cost-bars.tsx";
import { toAmount } from "../labels/cost.ts";

import { DayPlot } from "./day-plot.tsx";
import { toDefaultMeasure, type Measure } from "./measures.ts";
import { SharePlot } from "./share-plot.tsx";
import { actions } from "../strings/actions.ts";
import { usage as strings } from "../strings/usage.ts";

type Group = keyof typeof strings.groups;
type Period = keyof typeof strings.periods;
const dayMs = 86_400_000;

/** Start of the first day of the period. Days are in UTC, as on the server. */
const toFrom = (period: Period, now: number): number => (Math.floor(now / dayMs) - Number(period) + 1) * dayMs;

/** Cost of all model calls, and budgets. */
export const UsageSheet = ({ onClose }: { readonly onClose: () => void }) => {
  const { client } = usePage();
  const [by, setBy] = useState<Group>("day");
  const [period, setPeriod] = useState<Period>("30");
  const [now] = useState(() => Date.now());
  const { state } = useLoad(`${by} ${period}`, (signal) =>
    client.getCosts({ params: {}, query: { by, from: toFrom(period, now), to: now } }, signal),
  );
  return (
    <Sheet title={strings.title} about={strings.about} onClose={onClose}>
      <Budgets />
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <Segmented label={strings.groupBy} options={toOptions(strings.groups)} value={by} onChange={setBy} />
        <Segmented label={strings.period} options={toOptions(strings.periods)} value={period} onChange={setPeriod} />
      </div>
      {state.phase === "loading" && (
        <p role="status" className="animate-late text-sm text-soft">
          {actions.loading}
        </p>
      )}
      {state.phase === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {state.text}
        </p>
      )}
      {state.phase === "ready" && <Plots key={by} by={by} costs={state.value} />}
    </Sheet>
  );
};

type Props = { readonly by: Group; readonly costs: Response<"getCosts"> };

/** The figures as a plot and as a list. */
const Plots = ({ by, costs: { rows, from, to } }: Props) => {
  const [chosen, setChosen] = useState<Measure | null>(null);
  const measure = chosen ?? toDefaultMeasure(rows);
  if (rows.length === 0) return <p className="py-4 text-sm text-soft">{strings.empty}</p>;
  const cost = rows.reduce((sum, { costUsd }) => sum + costUsd, 0);
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-end justify-between gap-2">
        <p>
          <span className="text-2xl font-semibold tracking-tight tabular-nums">{toAmount(cost)}</span>
          <span className="ms-2 text-sm text-soft">{strings.inCalls(calls, groupDigits(calls))}</span>
        </p>
        <Segmented label={strings.measure} options={toOptions(strings.measures)} value={measure} onChange={setChosen} />
      </div>
      {by === "day" ? (
        <div className="mb-4">
          <DayPlot rows={rows} from={from} to={to} measure={measure} />
        </div>
      ) : (
        <SharePlot rows={rows} measure={measure} toName={(row) => toName(by, row)} />
      )}
      <CostBars by={by} rows={rows} measure={measure} />
    </>
  );
};

const toName = (by: Group, { key, label }: CostRow): string =>
  by === "purpose" ? toPurpose(key) : label || (by === "thread" ? strings.deletedThread : key);
