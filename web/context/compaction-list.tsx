import { ChevronRight, Scissors } from "lucide-react";
import type { CompactionView } from "../../protocol/context/context.ts";
import { usePage } from "../state/page.ts";
import { groupDigits } from "../lib/format.ts";
import { toMoment } from "../lib/time.ts";
import { context } from "../strings/context.ts";
import { ContextSection } from "./section.tsx";

const strings = context.compactions;
const firstShown = 8;

type Props = { readonly threadId: string; readonly compactions: readonly CompactionView[] };

/** The thread's compactions, newest first. */
export const CompactionList = ({ threadId, compactions }: Props) => {
  const { sidePanel } = usePage();
  return (
    <ContextSection title={strings.title} about={strings.about}>
      {compactions.length === 0 && <p className="text-sm text-soft">{strings.empty}</p>}
      <ul aria-label={strings.title} className="grid gap-1">
        {compactions.slice(0, firstShown).map(({ id, depth, tokensBefore, tokensAfter, undone, createdAt }) => (
          <li key={id}>
            <button
              type="button"
              className="flex w-full items-center gap-3 rounded-xl bg-raised px-3.5 py-2 text-start text-sm hover:bg-hover"
              onClick={() => sidePanel.set({ kind: "compaction", threadId, compactionId: id })}
            >
              <Scissors aria-hidden="true" className="size-4 flex-none text-soft" />
              <span className={`min-w-0 flex-1 ${undone ? "text-soft line-through" : ""}`}>
                {strings.range(groupDigits(depth))}
                <span className="block text-xs text-soft">
                  {strings.details(toMoment(createdAt), groupDigits(tokensBefore), groupDigits(tokensAfter))}
                </span>
              </span>
              {undone && <span className="text-xs text-soft">{strings.undone}</span>}
              <ChevronRight aria-hidden="true" className="size-4 flex-none text-soft rtl:-scale-x-100" />
            </button>
          </li>
        ))}
      </ul>
      {compactions.length > firstShown && (
        <p className="text-xs text-soft">{strings.more(groupDigits(compactions.length - firstShown))}</p>
      )}
    </ContextSection>
  );
};
