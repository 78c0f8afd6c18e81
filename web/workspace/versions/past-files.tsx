import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { useLoad } from "../../lib/use-load.ts";
import { usePage } from "../../state/page.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { BytesView } from "../editor/bytes-view.tsx";
import { CodeEditor } from "../editor/code-editor.tsx";
import type { WorkspaceStore } from "../state/workspace-store.ts";
import { FilesSide } from "../tree/files-side.tsx";
import { versions as strings } from "../../strings/workspace/versions.ts";
import { actions } from "../../strings/actions.ts";

type Props = { readonly store: WorkspaceStore; readonly seq: number; readonly isNarrow: boolean };

/** All files at a seq, read-only. */
export const PastFiles = ({ store, seq, isNarrow }: Props) => {
  const { client } = usePage();
  const [path, setPath] = useState<string | null>(null);
  const { state } = useLoad(`${store.projectId} ${seq}`, (signal) =>
    client.listFiles({ params: { projectId: store.projectId }, query: { at: seq } }, signal),
  );
  if (state.phase !== "ready")
    return (
      <p role="status" className="animate-late px-4 text-sm text-soft">
        {state.phase === "failed" ? state.text : actions.loading}
      </p>
    );
  return (
    <div className="flex min-h-0 flex-1">
      {(!isNarrow || path === null) && (
        <div className={isNarrow ? "min-w-0 flex-1" : "w-48 flex-none"}>
          <FilesSide
            store={store}
            files={state.value.files}
            isReadOnly
            current={path}
            onOpen={setPath}
            onVersions={() => undefined}
          />
        </div>
      )}
      {path !== null && (
        <div className="flex min-w-0 flex-1 flex-col">
          <p dir="ltr" className="flex flex-none items-center gap-1 truncate px-2 pb-1 text-xs text-soft">
            {isNarrow && (
              <IconButton label={strings.allFiles} onClick={() => setPath(null)}>
                <ArrowLeft aria-hidden="true" className="size-4.5 rtl:-scale-x-100" />
              </IconButton>
            )}
            {strings.pastFile(path)}
          </p>
          <PastFile key={path} projectId={store.projectId} path={path} seq={seq} isNarrow={isNarrow} />
        </div>
      )}
    </div>
  );
};

type FileProps = {
  readonly projectId: string;
  readonly path: string;
  readonly seq: number;
  readonly isNarrow: boolean;
};

const PastFile = ({ projectId, path, seq, isNarrow }: FileProps) => {
  const { client } = usePage();
  const { state } = useLoad(`${projectId} ${seq} ${path}`, (signal) =>
    client.getFile({ params: { projectId }, query: { path, at: seq } }, signal),
  );
  if (state.phase === "loading") return null;
  if (state.phase === "failed")
    return (
      <p role="alert" className="px-4 text-sm text-danger">
        {state.text}
      </p>
    );
  if (state.value.text === null) return <BytesView file={state.value} />;
  return (
    <div className="min-h-0 flex-1">
      <CodeEditor
        path={path}
        text={state.value.text}
        label={strings.pastFile(path)}
        isReadOnly
        isWrapped={isNarrow || path.endsWith(".md")}
      />
    </div>
  );
};
