import { ChevronRight, Undo2 } from "lucide-react";
import { useState } from "react";
import type { Act } from "../../protocol/project/project.ts";
import { ActButton } from "../frame/act-button.tsx";
import { useLoad } from "../frame/use-load.ts";
import { useNow } from "../list/use-now.ts";
import { usePage } from "../state/page.ts";
import { ChangeView } from "./activity/change-view.tsx";

type Props = { readonly projectId: string; readonly runId: string };

const most = 200;

/** What an answer did to a project and its files: each act to be looked at and taken back, or all of them at once. */
export const RunChanges = ({ projectId, runId }: Props) => {
  const { client } = usePage();
  const { state, reload } = useLoad(`${projectId} ${runId}`, (signal) =>
    client.listActs({ params: { projectId }, query: { runId, limit: most } }, signal),
  );
  if (state.phase !== "ready") return null;
  const acts = state.value.acts.filter(({ undoes }) => undoes === null);
  if (acts.length === 0) return null;
  const standing = acts.filter(({ undone }) => !undone);
  const count = acts.reduce((sum, { changes }) => sum + changes.length, 0);
  return (
    <section aria-label="What changed in this run" className="rounded-2xl bg-sunk px-3 py-1.5">
      <details className="group/changes">
        <summary className="flex min-h-9 list-none flex-wrap items-center gap-2 rounded-lg text-sm select-none pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden="true"
            className="size-4 flex-none text-soft transition-transform group-open/changes:rotate-90 rtl:-scale-x-100"
          />
          <span className="font-medium">What changed in this run</span>
          <span className="text-xs text-soft">
            {count === 1 ? "1 change" : `${count} changes`}
            {standing.length === 0 && ", undone"}
          </span>
        </summary>
        <ol aria-label="Changes of this run" className="grid gap-1 pb-1 ps-6">
          {acts.toReversed().map((act) => (
            <li key={act.id}>
              <RunAct projectId={projectId} act={act} onUndone={reload} />
            </li>
          ))}
        </ol>
      </details>
      {standing.length > 0 && (
        <p className="flex flex-wrap items-center justify-end gap-2 pb-1">
          <ActButton
            act={(id) => client.undoRun({ params: { projectId, runId }, body: { id } })}
            look="plain-button min-h-8 bg-transparent text-accent pointer-coarse:min-h-10"
            onDone={reload}
          >
            <Undo2 aria-hidden="true" className="size-3.5" />
            {standing.length === 1 ? "Undo" : "Undo all"}
          </ActButton>
        </p>
      )}
    </section>
  );
};

type ActProps = { readonly projectId: string; readonly act: Act; readonly onUndone: () => void };

const RunAct = ({ projectId, act, onUndone }: ActProps) => {
  const { client } = usePage();
  const now = useNow();
  const [isOpen, setOpen] = useState(false);
  const params = { projectId, actId: act.id };
  const { state } = useLoad(isOpen ? act.id : null, (signal) => client.getAct({ params }, signal));
  const changes = state.phase === "ready" ? state.value.act.changes : act.changes;
  return (
    <div className="flex flex-wrap items-start gap-x-2">
      <details className="min-w-0 flex-1 basis-48" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary
          dir="auto"
          className={`min-h-8 cursor-pointer rounded-lg py-1 text-sm wrap-anywhere ${act.undone ? "text-soft line-through" : ""}`}
        >
          {act.text}
        </summary>
        <ul className="grid gap-2 pb-2">
          {changes.map((change) => (
            <li key={`${change.what} ${change.id}`}>
              <ChangeView change={change} now={now} />
            </li>
          ))}
        </ul>
      </details>
      {act.undone ? (
        <span role="status" className="py-1.5 text-xs text-soft">
          Undone
        </span>
      ) : (
        <ActButton
          act={(id) => client.undoAct({ params, body: { id } })}
          label={`Undo: ${act.text}`}
          look="plain-button min-h-8 bg-transparent text-soft hover:text-ink pointer-coarse:min-h-10"
          onDone={onUndone}
        >
          Undo
        </ActButton>
      )}
    </div>
  );
};
