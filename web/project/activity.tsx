import type { Act } from "../../protocol/project/project.ts";
import { useNow } from "../ui/use-now.ts";
import { Failed, Quiet, Section, Waiting } from "./bits/section.tsx";
import { describeDay, toToday } from "./dates.ts";
import { ActRow } from "./act-row.tsx";
import { useActs } from "./use-acts.ts";

/** Everything that was done in the project, by day. */
export const Activity = () => {
  const { phase, text, acts, hasMore, more, reload } = useActs();
  const now = useNow();
  const days = [...Map.groupBy(acts, ({ createdAt }) => toToday(createdAt))];
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-6 px-4 pt-2 pb-24 sm:px-8">
      {phase === "loading" && <Waiting />}
      {phase === "failed" && <Failed text={text} onRetry={reload} />}
      {phase === "ready" && acts.length === 0 && <Quiet>Nothing has been done here yet.</Quiet>}
      {days.map(([day, list]) => (
        <Section key={day} title={nameOf(list, now)}>
          {list.map((act) => (
            <ActRow key={act.id} act={act} now={now} />
          ))}
        </Section>
      ))}
      {hasMore && (
        <button type="button" className="plain-button justify-self-center" onClick={more}>
          Earlier
        </button>
      )}
    </div>
  );
};

const nameOf = ([first]: readonly Act[], now: number): string =>
  first ? describeDay(first.createdAt, now).replace(/ \d\d:\d\d$/, "") : "";
