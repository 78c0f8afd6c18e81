import { useState, type ReactNode } from "react";
import { ApiError } from "../../protocol/client.ts";
import { ActButton } from "../ui/act-button.tsx";
import { useLoad } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";
import { listFileChanges } from "./versions/describe-act.ts";
import { FileDiff } from "./versions/file-diff.tsx";

type Props = {
  readonly projectId: string;
  readonly actId: string;
  /** Shown where the act is not to be had. */
  readonly spare?: string;
  /** After its *Undo*. */
  readonly children?: ReactNode;
};

/** What one act did to files: its diffs, asked for when they are looked at, and its *Undo*. */
export const ActDiff = ({ projectId, actId, spare = "", children }: Props) => {
  const { client } = usePage();
  const [isUndone, setUndone] = useState(false);
  const params = { projectId, actId };
  const { state } = useLoad(`${projectId} ${actId}`, async (signal) => {
    try {
      return (await client.getAct({ params }, signal)).act;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  });
  if (state.phase === "loading") return <p className="animate-late text-sm text-soft">Loading…</p>;
  if (state.phase === "failed")
    return (
      <p role="alert" className="text-sm text-danger">
        {state.text}
      </p>
    );
  const act = state.value;
  if (act === null) return spare === "" ? null : <SpareDiff diff={spare} />;
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
          <span role="status">Undone</span>
        ) : (
          <ActButton
            act={(id) => client.undoAct({ params, body: { id } })}
            label="Undo this edit"
            onDone={() => setUndone(true)}
          >
            Undo
          </ActButton>
        )}
        {children}
      </div>
    </div>
  );
};

/** As the tool told it: without the file's own colours. */
export const SpareDiff = ({ diff }: { readonly diff: string }) => (
  <pre
    tabIndex={0}
    aria-label="What changed"
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
