import { Check } from "lucide-react";
import { useFacts } from "../../sources/message-facts.ts";
import { toChecklist } from "../../sources/plan.ts";
import type { ToolPart } from "../../labels/tools.ts";
import { ToolFrame } from "../tool-frame.tsx";
import { toolCards as strings } from "../../strings/tool-cards.ts";

/** A research plan; queries are ticked once a search has used them. */
export const PlanCard = ({ part }: { readonly part: ToolPart }) => {
  const list = toChecklist(part, useFacts()?.searched ?? []);
  const done = list.filter(({ isDone }) => isDone).length;
  return (
    <ToolFrame part={part} {...(list.length > 0 ? { brief: strings.plan.doneOf(done, list.length) } : {})}>
      {list.length > 0 && (
        <ul aria-label={strings.plan.list} className="grid gap-1 text-sm">
          {list.map(({ query, why, isDone }) => (
            <li key={query} className="flex items-start gap-2">
              <span
                role="img"
                aria-label={isDone ? strings.plan.done : strings.plan.open}
                className={`mt-0.5 grid size-4 flex-none place-items-center rounded-full ${isDone ? "bg-good text-ground" : "shadow-[inset_0_0_0_1.5px_var(--line-strong)]"}`}
              >
                {isDone && <Check aria-hidden="true" className="size-3" strokeWidth={3} />}
              </span>
              <span dir="auto" className={`min-w-0 wrap-anywhere ${isDone ? "text-soft" : ""}`}>
                {query}
                {why !== "" && <span className="block text-xs text-soft">{why}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </ToolFrame>
  );
};
