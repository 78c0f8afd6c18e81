import { ChevronRight, Undo2 } from "lucide-react";
import { useEffect, useState } from "react";
import type { Act } from "../../protocol/project/project.ts";
import { toActText } from "../labels/acts.ts";
import { ActButton } from "../ui/act-button.tsx";
import { useFacts } from "../sources/message-facts.ts";
import { useLoad } from "../lib/use-load.ts";
import { useNow } from "../lib/use-now.ts";
import { usePage } from "../state/page.ts";
import { ChangeView } from "./change-view.tsx";
import { toVerb } from "./describe-change.ts";
import { RunFiles } from "../workspace/run-files.tsx";
import { actions } from "../strings/actions.ts";
import { entities } from "../strings/project/entities.ts";
import { projectThread as strings } from "../strings/project/thread.ts";

type Props = { readonly projectId: string; readonly runId: string };

const maxActs = 200;

/** Changes of an answer to a project and its files, with undo for each or all. */
export const RunChanges = ({ projectId, runId }: Props) => {
  const { client } = usePage();
  const [isOpen, setOpen] = useState(false);
  const { state, reload } = useLoad(`${projectId} ${runId}`, (signal) =>
    client.listActs({ params: { projectId }, query: { runId, limit: maxActs } }, signal),
  );
  const undone = useFacts()?.undone;
  // The cards of the answer show what was undone.
  useEffect(() => {
    if (state.phase === "ready") undone?.set(new Set(state.value.acts.flatMap((act) => (act.undone ? [act.id] : []))));
  }, [state, undone]);
  if (state.phase !== "ready") return null;
  const acts = state.value.acts.filter(({ undoes }) => undoes === null);
  if (acts.length === 0) return null;
  const undoable = acts.filter(({ undone }) => !undone);
  const count = acts.reduce((sum, { changes }) => sum + changes.length, 0);
  return (
    <div role="group" aria-label={strings.changes} className="rounded-2xl bg-sunk px-3 py-1">
      <div className="flex flex-wrap items-center gap-x-2">
        <button
          type="button"
          aria-expanded={isOpen}
          className="flex min-h-9 flex-1 basis-64 items-center gap-2 rounded-lg text-start text-sm pointer-coarse:min-h-11"
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight
            aria-hidden="true"
            className={`size-4 flex-none text-soft transition-transform rtl:-scale-x-100 ${isOpen ? "rotate-90" : ""}`}
          />
          <span className="min-w-0 truncate font-medium">{strings.changes}</span>
          <span className="flex-none text-xs text-soft">
            {undoable.length === 0 ? strings.allUndone(count) : strings.changeCount(count)}
          </span>
        </button>
        {undoable.length > 0 && (
          <ActButton
            act={(id) => client.undoRun({ params: { projectId, runId }, body: { id } })}
            look="plain-button min-h-8 bg-transparent text-accent pointer-coarse:min-h-10"
            onDone={reload}
          >
            <Undo2 aria-hidden="true" className="size-3.5" />
            {acts.length === 1 ? actions.undo : strings.undoAll}
          </ActButton>
        )}
      </div>
      {isOpen && (
        <ol aria-label={strings.changeList} className="grid gap-1 pb-2 ps-6">
          {acts.toReversed().map((act) => (
            <li key={act.id}>
              <RunAct projectId={projectId} act={act} isOnly={acts.length === 1} onUndone={reload} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
};

type ActProps = {
  readonly projectId: string;
  readonly act: Act;
  /** Then the undo button above is enough. */
  readonly isOnly: boolean;
  readonly onUndone: () => void;
};

const RunAct = ({ projectId, act, isOnly, onUndone }: ActProps) => {
  const { client } = usePage();
  const now = useNow();
  const params = { projectId, actId: act.id };
  return (
    <div className="flex flex-wrap items-start gap-x-2">
      <div className="min-w-0 flex-1 basis-48 py-1">
        <p dir="auto" className={`text-sm wrap-anywhere ${act.undone ? "text-soft line-through" : ""}`}>
          {toActText(act)}
        </p>
        <Changes act={act} now={now} />
      </div>
      {act.undone && (
        <span role="status" className="py-1.5 text-xs text-soft">
          {strings.undone}
        </span>
      )}
      {!act.undone && !isOnly && !isCreation(act) && (
        <ActButton
          act={(id) => client.undoAct({ params, body: { id } })}
          label={entities.undo(toActText(act))}
          look="plain-button min-h-8 bg-transparent text-soft hover:text-ink pointer-coarse:min-h-10"
          onDone={onUndone}
        >
          {actions.undo}
        </ActButton>
      )}
      <div className="min-w-0 basis-full">
        <RunFiles projectId={projectId} act={act} />
      </div>
    </div>
  );
};

/** It has the project's id. It is undone with the other changes of the answer. */
const isCreation = ({ id, projectId }: Act): boolean => id === projectId;

/** Fields of changed entities. Created and deleted ones are named in the act's text. */
const Changes = ({ act, now }: { readonly act: Act; readonly now: number }) => {
  const changed = act.changes.filter((change) => toVerb(change) === "changed" && change.what !== "file");
  if (changed.length === 0) return null;
  return (
    <ul className="grid gap-2 py-1">
      {changed.map((change) => (
        <li key={`${change.what} ${change.id}`}>
          <ChangeView change={change} now={now} />
        </li>
      ))}
    </ul>
  );
};
