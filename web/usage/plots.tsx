import { useState } from "react";
import type { Response } from "../../protocol/api.ts";
import type { CostRow } from "../../protocol/cost.ts";
import { toPurpose, type groupWords } from "../context/words.ts";
import { groupDigits } from "../ui/group-digits.ts";
import { CostBars } from "./cost-bars.tsx";
import { toAmount } from "./describe-costs.ts";
import { DayPlot } from "./day-plot.tsx";
import { measures, toUsualMeasure, type Measure } from "./measures.ts";
import { Segments } from "./segments.tsx";
import { SharePlot } from "./share-plot.tsx";

type Props = { readonly by: keyof typeof groupWords; readonly costs: Response<"getCosts"> };

const order = Object.keys(measures) as readonly Measure[];
const names = { cost: measures.cost.name, tokens: measures.tokens.name, calls: measures.calls.name };

/** The same figures as a picture and as a list. */
export const Plots = ({ by, costs: { rows, from, to } }: Props) => {
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
        <Segments label="What is shown" names={names} order={order} value={measure} onChange={setPicked} />
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
