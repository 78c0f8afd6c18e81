import { useState } from "react";
import { groupWords } from "../context/words.ts";
import { usePage } from "../state/page.ts";
import { Sheet } from "../frame/sheet.tsx";
import { useLoad } from "../frame/use-load.ts";
import { Budgets } from "./budgets.tsx";
import { CostBars } from "./cost-bars.tsx";

type Group = keyof typeof groupWords;
const groups = Object.keys(groupWords) as readonly Group[];

/** What every model call has cost, whatever it was for, and the limits on it. */
export const UsageSheet = ({ onClose }: { readonly onClose: () => void }) => {
  const { client } = usePage();
  const [by, setBy] = useState<Group>("day");
  const { state } = useLoad(by, (signal) => client.getCosts({ params: {}, query: { by } }, signal));
  return (
    <Sheet
      title="Usage"
      about="Every model call is counted with its real usage: answers, titles, summaries and memory."
      onClose={onClose}
    >
      <Budgets />
      <div role="group" aria-label="Costs" className="mb-3 flex flex-wrap gap-1">
        {groups.map((group) => (
          <button
            key={group}
            type="button"
            aria-pressed={group === by}
            className="rounded-lg px-2 py-1.5 sm:px-3 text-sm text-soft hover:text-ink aria-pressed:bg-press aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:py-2.5"
            onClick={() => setBy(group)}
          >
            {groupWords[group]}
          </button>
        ))}
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
      {state.phase === "ready" && <CostBars by={by} rows={state.value.rows} />}
    </Sheet>
  );
};
