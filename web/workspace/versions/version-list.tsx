import { Bot, User } from "lucide-react";
import type { Act } from "../../../protocol/project/project.ts";
import { toActText } from "../../labels/acts.ts";
import { toRelativeTime, toMoment } from "../../lib/time.ts";
import { useNow } from "../../lib/use-now.ts";
import type { Versions } from "./use-versions.ts";
import { versions as strings } from "../../strings/workspace/versions.ts";
import { actions } from "../../strings/actions.ts";

type Props = {
  readonly versions: Versions;
  readonly current: number | null;
  readonly onOpen: (act: Act) => void;
};

/** Acts that changed files, newest first. */
export const VersionList = ({ versions: { acts, phase, text, hasMore, more }, current, onOpen }: Props) => {
  const now = useNow();
  if (phase === "loading") return <p className="animate-late px-4 py-2 text-sm text-soft">{actions.loading}</p>;
  if (phase === "failed")
    return (
      <p role="alert" className="px-4 py-2 text-sm text-danger">
        {text}
      </p>
    );
  if (acts.length === 0) return <p className="px-4 py-2 text-sm text-pretty text-soft">{strings.empty}</p>;
  return (
    <>
      <ol aria-label={strings.list} className="grid gap-px px-2">
        {acts.map((act) => {
          const isRun = act.author.by === "run";
          const Icon = isRun ? Bot : User;
          return (
            <li key={act.id}>
              <button
                type="button"
                {...(act.seq === current ? { "aria-current": "true" } : {})}
                onClick={() => onOpen(act)}
                className="flex w-full items-start gap-2 rounded-lg px-2 py-1.5 text-start text-sm hover:bg-hover focus-visible:-outline-offset-2 aria-[current]:bg-press pointer-coarse:py-2.5"
              >
                <Icon aria-hidden="true" className={`mt-0.5 size-4 flex-none ${isRun ? "text-accent" : "text-soft"}`} />
                <span className="min-w-0 flex-1">
                  <span
                    dir="auto"
                    className={`line-clamp-2 wrap-anywhere ${act.undone ? "text-soft line-through" : ""}`}
                  >
                    {toActText(act)}
                  </span>
                  <span className="text-xs text-soft" title={toMoment(act.createdAt)}>
                    {describeAct(act, toRelativeTime(act.createdAt, now))}
                  </span>
                </span>
              </button>
            </li>
          );
        })}
      </ol>
      {hasMore && (
        <button type="button" className="plain-button mx-4 mt-2" onClick={more}>
          {strings.earlier}
        </button>
      )}
    </>
  );
};

/** Author, time and whether the act was undone. */
export function describeAct({ author, undone }: Act, when: string): string {
  const name = author.by === "run" ? strings.authors.run : strings.authors.user;
  return undone ? strings.madeByUndone(name, when) : strings.madeBy(name, when);
}
