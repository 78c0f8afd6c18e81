import { useState } from "react";
import { groupWords, toPurpose } from "../labels/context.ts";
import { usePage } from "../state/page.ts";
import { Sheet } from "../ui/sheet.tsx";
import { useLoad } from "../lib/use-load.ts";
import { Budgets } from "./budgets.tsx";
import { Segmented, toOptions } from "../ui/segmented.tsx";
import type { Response } from "../../protocol/api.ts";
import type { CostRow } from "../../protocol/cost.ts";
import { groupDigits } from "../lib/format.ts";
import { CostBars } from "./cost-bars.tsx";
import { toAmount } from "./describe-costs.ts";
import { DayPlot } from "./day-plot.tsx";
import { measures, toUsualMeasure, type Measure } from "./measures.ts";
import { SharePlot } from "./share-plot.tsx";

type Group = keyof typeof groupWords;
const groups = Object.keys(groupWords) as readonly Group[];

const spans = { "7": "7 days", "30": "30 days", "90": "90 days" } as const;
type Span = keyof typeof spans;
const dayMs = 86_400_000;

/** Start of the day, in the server's days, this many days ago. */
const toFrom = (span: Span, now: number): number => (Math.floor(now / dayMs) - Number(span) + 1) * dayMs;

/** Cost of all model calls, and budgets. */
export const UsageSheet = ({ onClose }: { readonly onClose: () => void }) => {
  const { client } = usePage();
  const [by, setBy] = useState<Group>("day");
  const [span, setSpan] = useState<Span>("30");
  const [now] = useState(() => Date.now());
  const { state } = useLoad(`${by} ${span}`, (signal) =>
    client.getCosts({ params: {}, query: { by, from: toFrom(span, now), to: now } }, signal),
  );
  return (
    <Sheet
      title="Usage"
      about="Every model call is counted with its real usage: answers, titles, summaries and memory."
      onClose={onClose}
    >
      <Budgets />
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <Segmented label="Costs" options={toOptions(groupWords, groups)} value={by} onChange={setBy} />
        <Segmented label="How far back" options={toOptions(spans)} value={span} onChange={setSpan} />
      </div>
      {state.phase === "loading" && (
        <p role="status" className="animate-late text-sm text-soft">
          Loading…
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

type Props = { readonly by: keyof typeof groupWords; readonly costs: Response<"getCosts"> };

const order = Object.keys(measures) as readonly Measure[];
const names = { cost: measures.cost.name, tokens: measures.tokens.name, calls: measures.calls.name };

/** The figures as a plot and as a list. */
const Plots = ({ by, costs: { rows, from, to } }: Props) => {
  const [picked, setPicked] = useState<Measure | null>(null);
  const measure = picked ?? toUsualMeasure(rows);
  if (rows.length === 0) return <p className="py-4 text-sm text-soft">No model has been asked in this time.</p>;
  const cost = rows.reduce((sum, { costUsd }) => sum + costUsd, 0);
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-end justify-between gap-2">
        <p>
          <span className="text-2xl font-semibold tracking-tight tabular-nums">{toAmount(cost)}</span>
          <span className="ms-2 text-sm text-soft">
            in {groupDigits(calls)} {calls === 1 ? "call" : "calls"}
          </span>
        </p>
        <Segmented label="What is shown" options={toOptions(names, order)} value={measure} onChange={setPicked} />
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

const toName = (by: Props["by"], { key, label }: CostRow): string =>
  by === "purpose" ? toPurpose(key) : label || (by === "thread" ? "A deleted thread" : key);
