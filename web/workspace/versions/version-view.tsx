import { ArrowLeft, FileDiff as DiffIcon, Files, GitCompare, RotateCcw, Undo2 } from "lucide-react";
import { useState } from "react";
import type { Act } from "../../../protocol/project/project.ts";
import { toActText } from "../../labels/acts.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { toMoment } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { toPath } from "../../state/route.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Segmented, type SegmentOption } from "../../ui/segmented.tsx";
import type { WorkspaceStore } from "../state/workspace-store.ts";
import { compareLists, isUndo, listFileChanges, type FileChange } from "./describe-act.ts";
import { FileDiff } from "./file-diff.tsx";
import { PastFiles } from "./past-files.tsx";
import { describeAct } from "./version-list.tsx";
import { versions as strings } from "../../strings/workspace/versions.ts";

type View = "edit" | "files" | "compare";

const views: readonly SegmentOption<View>[] = [
  { value: "edit", label: strings.views.edit, Icon: DiffIcon },
  { value: "files", label: strings.views.files, Icon: Files },
  { value: "compare", label: strings.views.compare, Icon: GitCompare },
];

type Props = {
  readonly store: WorkspaceStore;
  readonly act: Act;
  /** No later act has changed files. */
  readonly isNewest: boolean;
  readonly isNarrow: boolean;
  readonly onBack: () => void;
};

/** One version: its edit, all files at that point, and the differences to now. */
export const VersionView = ({ store, act, isNewest, isNarrow, onBack }: Props) => {
  const { client } = usePage();
  const [view, setView] = useState<View>("edit");
  const params = { projectId: store.projectId };
  const changes = listFileChanges(act);
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-1 flex-col">
      <header className="grid flex-none gap-2 px-4 pb-3">
        <div className="flex items-start gap-1">
          {isNarrow && (
            <IconButton label={strings.all} className="-ms-2" onClick={onBack}>
              <ArrowLeft aria-hidden="true" className="size-4.5 rtl:-scale-x-100" />
            </IconButton>
          )}
          <div className="min-w-0 flex-1 pt-1">
            <h2 dir="auto" className="text-sm font-semibold wrap-anywhere">
              {toActText(act)}
            </h2>
            <p className="text-xs text-soft">
              {describeAct(act, toMoment(act.createdAt))}
              {act.author.threadId !== null && (
                <>
                  {" · "}
                  <a href={toPath(act.author.threadId)} className="underline underline-offset-2 hover:text-ink">
                    {strings.openThread}
                  </a>
                </>
              )}
            </p>
          </div>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Segmented label={strings.show} options={views} value={view} className="max-w-full" onChange={setView} />
          <span className="flex flex-wrap gap-2">
            {!act.undone && (
              <ActButton
                act={async (id) => {
                  await client.undoAct({ params: { ...params, actId: act.id }, body: { id } });
                  await store.feed.reload();
                }}
              >
                <Undo2 aria-hidden="true" className="size-3.5" />
                {isUndo(act) ? strings.redo : strings.undo}
              </ActButton>
            )}
            {!isNewest && (
              <ActButton
                act={async (id) => {
                  const answer = await client.restoreFiles({ params, body: { id, seq: act.seq } });
                  store.showUndo(strings.restored(toMoment(act.createdAt)), answer.act.id);
                  await store.feed.reload();
                }}
              >
                <RotateCcw aria-hidden="true" className="size-3.5" />
                {strings.restore}
              </ActButton>
            )}
          </span>
        </div>
      </header>
      {view === "files" ? (
        <PastFiles store={store} seq={act.seq} isNarrow={isNarrow} />
      ) : (
        <div
          role="region"
          aria-label={strings.differences}
          tabIndex={0}
          className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-3 pb-6 focus-visible:-outline-offset-2"
        >
          {view === "edit" ? (
            <Diffs store={store} changes={changes} from={act.seq - 1} to={act.seq} />
          ) : (
            <CompareWithNow store={store} seq={act.seq} />
          )}
        </div>
      )}
    </div>
  );
};

type DiffsProps = {
  readonly store: WorkspaceStore;
  readonly changes: readonly FileChange[];
  readonly from: number;
  readonly to: number | null;
};

const openAtOnce = 8;

const Diffs = ({ store, changes, from, to }: DiffsProps) => {
  const turn = useSignal(store.feed.turns);
  return (
    <div className="grid gap-2 [&>*]:min-w-0">
      {changes.map((change, index) => (
        <FileDiff
          key={`${change.path} ${from} ${to}`}
          projectId={store.projectId}
          change={change}
          from={from}
          to={to}
          turn={turn}
          isOpen={index < openAtOnce}
        />
      ))}
    </div>
  );
};

const CompareWithNow = ({ store, seq }: { readonly store: WorkspaceStore; readonly seq: number }) => {
  const { client } = usePage();
  const files = useSignal(store.feed.state);
  const { state } = useLoad(`${store.projectId} ${seq}`, (signal) =>
    client.listFiles({ params: { projectId: store.projectId }, query: { at: seq } }, signal),
  );
  if (state.phase === "failed")
    return (
      <p role="alert" className="px-2 text-sm text-danger">
        {state.text}
      </p>
    );
  if (state.phase === "loading" || files.phase !== "ready") return null;
  const changes = compareLists(state.value.files, files.files);
  if (changes.length === 0) return <p className="px-2 text-sm text-soft">{strings.unchanged}</p>;
  return <Diffs store={store} changes={changes} from={seq} to={null} />;
};
