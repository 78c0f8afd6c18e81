import { useState, type ReactNode } from "react";
import { ResponseError } from "../../protocol/client.ts";
import { ActButton } from "../ui/act-button.tsx";
import { useLoad } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";
import { listFileChanges } from "./versions/describe-act.ts";
import { FileDiff } from "./versions/file-diff.tsx";
import { workspace as strings } from "../strings/workspace/workspace.ts";
import { actions } from "../strings/actions.ts";

type Props = {
  readonly projectId: string;
  readonly actId: string;
  /** A unified diff, shown if the act does not exist. */
  readonly fallback?: string;
  /** After the Undo button. */
  readonly children?: ReactNode;
};

/** The file diffs of one act, loaded on demand, with undo. */
export const ActDiff = ({ projectId, actId, fallback = "", children }: Props) => {
  const { client } = usePage();
  const [isUndone, setUndone] = useState(false);
  const params = { projectId, actId };
  const { state } = useLoad(`${projectId} ${actId}`, async (signal) => {
    try {
      return (await client.getAct({ params }, signal)).act;
    } catch (error) {
      if (error instanceof ResponseError && error.status === 404) return null;
      throw error;
    }
  });
  if (state.phase === "loading") return <p className="animate-late text-sm text-soft">{actions.loading}</p>;
  if (state.phase === "failed")
    return (
      <p role="alert" className="text-sm text-danger">
        {state.text}
      </p>
    );
  const act = state.value;
  if (act === null) return fallback === "" ? null : <PlainDiff diff={fallback} />;
  const changes = listFileChanges(act);
  return (
    <div className="grid gap-2 [&>*]:min-w-0">
      {changes.map((change) => (
        <FileDiff
          key={change.path}
          projectId={projectId}
          change={change}
          from={act.seq - 1}
          to={act.seq}
          isBare={changes.length === 1}
        />
      ))}
      <div className="flex flex-wrap items-center gap-x-3 text-xs text-soft">
        {act.undone || isUndone ? (
          <span role="status">{strings.diff.undone}</span>
        ) : (
          <ActButton
            act={(id) => client.undoAct({ params, body: { id } })}
            label={strings.diff.undo}
            onDone={() => setUndone(true)}
          >
            {actions.undo}
          </ActButton>
        )}
        {children}
      </div>
    </div>
  );
};

/** A diff from the tool result, without syntax highlighting. */
export const PlainDiff = ({ diff }: { readonly diff: string }) => (
  <pre
    tabIndex={0}
    aria-label={strings.diff.changes}
    dir="ltr"
    className="max-h-80 overflow-auto rounded-xl bg-(--code-ground) p-3 font-mono text-xs leading-relaxed text-(--code-ink)"
  >
    {diff.split("\n").map((line, index) => (
      <span
        key={index}
        className={`block ${line.startsWith("+") ? "text-good" : line.startsWith("-") ? "text-danger" : ""}`}
      >
        {line || " "}
      </span>
    ))}
  </pre>
);
