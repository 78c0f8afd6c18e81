import { Bot, Undo2, UserRound } from "lucide-react";
import { useState } from "react";
import type { Act } from "../../protocol/project/project.ts";
import { toActText } from "../labels/acts.ts";
import { useLoad } from "../lib/use-load.ts";
import { toRelativeTime } from "../lib/time.ts";
import { usePage } from "../state/page.ts";
import { toPath } from "../state/route.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { useProject } from "../state/project/project-context.ts";
import { describeChange, toVerb } from "./describe-change.ts";
import { ChangeView, FieldList } from "./change-view.tsx";
import { actions } from "../strings/actions.ts";
import { entities as entityStrings } from "../strings/project/entities.ts";
import { project as strings } from "../strings/project/page.ts";

type Props = { readonly act: Act; readonly now: number };

/** One entry of the activity log: author, description, time, changes and undo. */
export const ActRow = ({ act, now }: Props) => {
  const { writer } = useProject();
  const [isSent, setSent] = useState(false);
  const Icon = act.author.by === "run" ? Bot : UserRound;
  const undo = () => {
    setSent(true);
    void writer.undo(act.id).finally(() => setSent(false));
  };
  return (
    <article className="flex gap-3 py-2">
      <span className="grid size-7 flex-none place-items-center rounded-full bg-hover text-soft">
        <Icon aria-hidden="true" className="size-4" />
      </span>
      <div className="min-w-0 flex-1 pt-0.5">
        <p dir="auto" className={`text-sm wrap-anywhere ${act.undone ? "text-soft line-through" : ""}`}>
          {toActText(act)}
        </p>
        <p className="flex flex-wrap items-center gap-x-1.5 text-xs text-soft">
          <Author author={act.author} />
          <span aria-hidden="true">·</span>
          <time dateTime={new Date(act.createdAt).toISOString()}>{toRelativeTime(act.createdAt, now)}</time>
          {act.undone && <span>· {strings.activity.undone}</span>}
        </p>
        <Changes act={act} now={now} />
      </div>
      {canUndo(act) && (
        <button
          type="button"
          disabled={isSent}
          aria-label={entityStrings.undo(toActText(act))}
          className="plain-button min-h-8 flex-none self-start bg-transparent text-soft hover:text-ink pointer-coarse:min-h-10"
          onClick={undo}
        >
          <Undo2 aria-hidden="true" className="size-3.5" />
          {actions.undo}
        </button>
      )}
    </article>
  );
};

/** In a project that is open, its creation is not offered for undo: the project can be archived or deleted. */
const canUndo = ({ undone, changes }: Act): boolean =>
  !undone && !changes.some(({ what, before }) => what === "project" && before === null);

const Author = ({ author: { by, threadId } }: { readonly author: Act["author"] }) => {
  const { you, stonechat, inThread } = strings.activity;
  const name = by === "run" ? stonechat : you;
  return threadId === null ? (
    <span>{name}</span>
  ) : (
    <a href={toPath(threadId)} className="underline underline-offset-2 hover:text-ink">
      {inThread(name)}
    </a>
  );
};

const maxShownFields = 3;

/** Short changes are visible; long ones are loaded when opened. */
const Changes = ({ act, now }: Props) => {
  const { client } = usePage();
  const { projectId } = useProject();
  const [isOpen, setOpen] = useState(false);
  const { state } = useLoad(isOpen ? `${act.id} ${act.undone}` : null, (signal) =>
    client.getAct({ params: { projectId, actId: act.id } }, signal),
  );
  const changes = state.phase === "ready" ? state.value.act.changes : act.changes;
  const fields = act.changes.flatMap((change) => (toVerb(change) === "changed" ? describeChange(change, now) : []));
  const isShort = act.changes.length === 1 && fields.length <= maxShownFields && fields.every(({ isLong }) => !isLong);
  if (isShort) return fields.length === 0 ? null : <FieldList fields={fields} />;
  return (
    <Disclosure label={strings.activity.changes(act.changes.length)} onToggle={setOpen}>
      <ul className="grid gap-3 py-1">
        {changes.map((change) => (
          <li key={`${change.what} ${change.id}`}>
            <ChangeView change={change} now={now} />
          </li>
        ))}
      </ul>
    </Disclosure>
  );
};
