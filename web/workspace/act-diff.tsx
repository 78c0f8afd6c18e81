import type { ReactNode } from "react";
import { ResponseError } from "../../protocol/client.ts";
import { useUndone } from "../sources/message-facts.ts";
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
  readonly children?: ReactNode;
};

/** The file diffs of one act, loaded on demand. The list of the answer's changes undoes it. */
export const ActDiff = ({ projectId, actId, fallback = "", children }: Props) => {
  const { client } = usePage();
  const isUndone = useUndone(actId);
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
        {(act.undone || isUndone) && <span role="status">{strings.diff.undone}</span>}
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
