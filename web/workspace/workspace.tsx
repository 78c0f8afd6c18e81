import { Download, Eye, FileCode2, History, X } from "lucide-react";
import { Suspense, useEffect, useRef, useState } from "react";
import { ToastList } from "../ui/toast-list.tsx";
import { useSignal } from "../lib/signal.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { Segmented, type SegmentOption } from "../ui/segmented.tsx";
import { useWidth } from "../lib/use-width.ts";
import type { WorkspaceSide } from "../state/workspace-route.ts";
import { PreviewPane } from "./preview-pane.tsx";
import type { WorkspaceStore } from "./state/workspace-store.ts";
import { useWorkspaceStore } from "./state/use-workspace-store.ts";
import { FilesSide } from "./tree/files-side.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import { workspace as strings } from "../strings/workspace/workspace.ts";
import { actions } from "../strings/actions.ts";

const EditorPane = lazyChunk(() => import("./editor/editor-pane.tsx"));
const VersionsPane = lazyChunk(() => import("./versions/versions-pane.tsx"));

export const sideOptions: readonly SegmentOption<WorkspaceSide>[] = [
  { value: "files", label: strings.views.files, Icon: FileCode2 },
  { value: "preview", label: strings.views.preview, Icon: Eye },
  { value: "versions", label: strings.views.versions, Icon: History },
];

type Props = {
  readonly projectId: string;
  readonly side: WorkspaceSide;
  readonly onSide: (side: WorkspaceSide) => void;
  /** A file requested from elsewhere. */
  readonly path?: string | null;
  /** The view switch is rendered elsewhere. */
  readonly isBare?: boolean;
  readonly isDragging?: boolean;
  /** Sends a question about the work to the composer. */
  readonly onAsk: (text: string) => void;
  readonly onClose?: () => void;
};

/** Below this width the file list and the editor are shown one at a time. */
const narrowPx = 560;

/** A project's files: editor, preview and versions. */
export const Workspace = (props: Props) => {
  const { projectId, side, onSide, path = null, isBare = false, isDragging = false, onAsk, onClose } = props;
  const store = useWorkspaceStore(projectId);
  const box = useRef<HTMLElement>(null);
  const width = useWidth(box, 0);
  const isNarrow = width < narrowPx;
  const [versionsOf, setVersionsOf] = useState<string | null>(null);
  const [hasRun, setRun] = useState(side === "preview");
  useEffect(() => {
    if (side === "preview") setRun(true);
  }, [side]);
  useEffect(() => {
    if (path !== null) store.tabs.open(path);
  }, [store, path]);
  const state = useSignal(store.feed.state);
  const show = (file: string, line?: number) => {
    store.show(file, line);
    onSide("files");
  };
  return (
    <section ref={box} aria-label={strings.title} className="relative flex h-full min-h-0 min-w-0 flex-col">
      {!isBare && (
        <header className="flex h-13 flex-none items-center gap-1 px-3">
          <Segmented label={strings.view} options={sideOptions} value={side} onChange={onSide} />
          <span className="ms-auto" />
          {state.phase === "ready" && state.files.length > 0 && <DownloadLink projectId={projectId} />}
          {onClose && (
            <IconButton label={strings.close} onClick={onClose}>
              <X aria-hidden="true" className="size-4.5" />
            </IconButton>
          )}
        </header>
      )}
      <div className="min-h-0 flex-1">
        {state.phase === "ready" ? (
          <>
            {side === "files" && width > 0 && (
              <FilesPane
                store={store}
                isNarrow={isNarrow}
                isBare={isBare}
                onVersions={(file) => {
                  setVersionsOf(file);
                  onSide("versions");
                }}
              />
            )}
            {side === "versions" && width > 0 && (
              <Suspense>
                <VersionsPane store={store} isNarrow={isNarrow} path={versionsOf} onAll={() => setVersionsOf(null)} />
              </Suspense>
            )}
            {(side === "preview" || hasRun) && width > 0 && (
              <div className={side === "preview" ? "h-full" : "hidden"}>
                <PreviewPane store={store} isNarrow={isNarrow} isDragging={isDragging} onAsk={onAsk} onShow={show} />
              </div>
            )}
          </>
        ) : (
          <Missing store={store} />
        )}
      </div>
      <ToastList
        toasts={store.toasts}
        className="pointer-events-none absolute inset-x-3 bottom-4 z-20 mx-auto w-fit max-w-full"
      />
    </section>
  );
};

type PaneProps = {
  readonly store: WorkspaceStore;
  readonly isNarrow: boolean;
  readonly isBare: boolean;
  readonly onVersions: (path: string) => void;
};

const FilesPane = ({ store, isNarrow, isBare, onVersions }: PaneProps) => {
  const state = useSignal(store.feed.state);
  const { at } = useSignal(store.tabs.row);
  if (state.phase !== "ready") return null;
  return (
    <div className="flex h-full min-h-0">
      {(!isNarrow || at === null) && (
        <div className={isNarrow ? "min-w-0 flex-1" : "w-52 flex-none"}>
          <FilesSide store={store} files={state.files} current={at} onOpen={store.tabs.open} onVersions={onVersions}>
            {isBare && state.files.length > 0 && <DownloadLink projectId={store.projectId} />}
          </FilesSide>
        </div>
      )}
      <Suspense>{(!isNarrow || at !== null) && <EditorPane store={store} isNarrow={isNarrow} />}</Suspense>
    </div>
  );
};

/** Downloaded by the browser itself. */
const DownloadLink = ({ projectId }: { readonly projectId: string }) => (
  <a
    href={`/api/projects/${encodeURIComponent(projectId)}/archive`}
    download
    aria-label={strings.download}
    title={strings.download}
    className="icon-button"
  >
    <Download aria-hidden="true" className="size-4.5" />
  </a>
);

const Missing = ({ store }: { readonly store: WorkspaceStore }) => {
  const state = useSignal(store.feed.state);
  if (state.phase === "failed")
    return (
      <div role="alert" className="grid h-full place-content-center justify-items-center gap-3 p-6 text-sm">
        <p className="text-danger">{state.text}</p>
        <button type="button" className="plain-button" onClick={() => void store.feed.reload()}>
          {actions.retry}
        </button>
      </div>
    );
  return (
    <p role="status" className="grid h-full animate-late place-items-center text-sm text-soft">
      {state.phase === "gone" ? strings.projectGone : actions.loading}
    </p>
  );
};
