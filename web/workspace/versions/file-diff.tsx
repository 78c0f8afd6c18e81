import { ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import type { Client } from "../../../protocol/client.ts";
import { ResponseError } from "../../../protocol/client.ts";
import { useLoad } from "../../lib/use-load.ts";
import { usePage } from "../../state/page.ts";
import { DiffCounts } from "../diff-counts.tsx";
import { countDiff, toNumberedDiff } from "../diff-lines.ts";
import { DiffView } from "../diff-view.tsx";
import { FileIcon } from "../tree/file-icon.tsx";
import type { FileChange } from "./describe-act.ts";
import { workspace as strings } from "../../strings/workspace/workspace.ts";

type Props = {
  readonly projectId: string;
  readonly change: FileChange;
  /** The seqs to compare; null: the current content. */
  readonly from: number;
  readonly to: number | null;
  /** Incremented when the current content may have changed. */
  readonly turn?: number;
  /** If closed, the content is loaded when it is opened. */
  readonly isOpen?: boolean;
  /** Without a header, because the name is shown elsewhere. */
  readonly isBare?: boolean;
};

/** The changes of one file between two points in time. */
export const FileDiff = ({
  projectId,
  change,
  from,
  to,
  turn = 0,
  isOpen: isInitiallyOpen = true,
  isBare = false,
}: Props) => {
  const { client } = usePage();
  const [isOpen, setOpen] = useState(isInitiallyOpen);
  const key = `${projectId} ${change.path} ${from} ${to ?? `now ${turn}`}`;
  const [wasOpen, setWasOpen] = useState(isInitiallyOpen);
  const { state } = useLoad(wasOpen ? key : null, async () => {
    const [before, after] = await Promise.all([
      change.what === "new" ? null : readText(client, projectId, change.path, from),
      change.what === "deleted" ? null : readText(client, projectId, change.path, to),
    ]);
    return before === "bytes" || after === "bytes"
      ? ("bytes" as const)
      : { before: before?.text ?? null, after: after?.text ?? null };
  });
  const texts = state.phase === "ready" && state.value !== "bytes" ? state.value : null;
  const count = useMemo(() => texts && countDiff(toNumberedDiff(texts.before ?? "", texts.after ?? "")), [texts]);
  return (
    <div role="group" aria-label={change.path} className="overflow-hidden rounded-xl bg-(--code-ground)">
      {!isBare && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => {
            setOpen(!isOpen);
            setWasOpen(true);
          }}
          className="flex min-h-9 w-full items-center gap-2 px-3 text-start text-sm hover:bg-hover focus-visible:-outline-offset-2"
        >
          <ChevronRight
            aria-hidden="true"
            className={`size-4 flex-none text-soft transition-transform ${isOpen ? "rotate-90" : "rtl:-scale-x-100"}`}
          />
          <FileIcon path={change.path} className="size-3.5" />
          <span dir="ltr" className="min-w-0 flex-1 truncate text-start font-medium">
            {change.path}
          </span>
          {change.what !== "changed" && (
            <span className="flex-none text-xs text-soft">{strings.diff.kinds[change.what]}</span>
          )}
          {count && <DiffCounts {...count} />}
        </button>
      )}
      {isOpen && state.phase === "failed" && (
        <p role="alert" className="px-4 py-2 text-sm text-danger">
          {state.text}
        </p>
      )}
      {isOpen && state.phase === "ready" && state.value === "bytes" && (
        <p className="px-4 py-2 text-sm text-soft">{strings.diff.binary}</p>
      )}
      {isOpen && texts && <DiffView path={change.path} before={texts.before} after={texts.after} />}
    </div>
  );
};

type Text = { readonly text: string } | "bytes" | null;

async function readText(
  client: Pick<Client, "getFile">,
  projectId: string,
  path: string,
  at: number | null,
): Promise<Text> {
  try {
    const query = at === null ? { path } : { path, at };
    const { text } = await client.getFile({ params: { projectId }, query });
    return text === null ? "bytes" : { text };
  } catch (error) {
    if (error instanceof ResponseError && error.status === 404) return null;
    throw error;
  }
}
