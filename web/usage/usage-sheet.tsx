import { useState } from "react";
import { groupWords } from "../context/words.ts";
import { usePage } from "../state/page.ts";
import { Sheet } from "../ui/sheet.tsx";
import { useLoad } from "../ui/use-load.ts";
import { Budgets } from "./budgets.tsx";
import { Plots } from "./plots.tsx";
import { Segments } from "./segments.tsx";

type Group = keyof typeof groupWords;
const groups = Object.keys(groupWords) as readonly Group[];

const spans = { "7": "7 days", "30": "30 days", "90": "90 days" } as const;
type Span = keyof typeof spans;
const dayMs = 86_400_000;

/** The first moment of the day, as the server counts days, so many days ago. */
const toFrom = (span: Span, now: number): number => (Math.floor(now / dayMs) - Number(span) + 1) * dayMs;

/** What every model call has cost, whatever it was for, and the limits on it. */
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
        <Segments label="Costs" names={groupWords} order={groups} value={by} onChange={setBy} />
        <Segments label="How far back" names={spans} order={["7", "30", "90"]} value={span} onChange={setSpan} />
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
