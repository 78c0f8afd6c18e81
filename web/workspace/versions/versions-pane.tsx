import { X } from "lucide-react";
import { useState } from "react";
import type { Act } from "../../../protocol/project/project.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import type { WorkspaceStore } from "../state/workspace-store.ts";
import { useVersions } from "./use-versions.ts";
import { VersionList } from "./version-list.tsx";
import { VersionView } from "./version-view.tsx";
import { versions as strings } from "../../strings/workspace/versions.ts";

type Props = {
  readonly store: WorkspaceStore;
  readonly isNarrow: boolean;
  /** Only acts that changed this file. */
  readonly path: string | null;
  readonly onAll: () => void;
};

/** Each act that changed files is a version that can be viewed, compared, undone or restored. */
const VersionsPane = ({ store, isNarrow, path, onAll }: Props) => {
  const versions = useVersions(store, path);
  const [selected, setSelected] = useState<number | null>(null);
  const chosen = versions.acts.find(({ seq }) => seq === selected) ?? null;
  const act: Act | null = chosen ?? (isNarrow ? null : (versions.acts[0] ?? null));
  return (
    <div className="flex h-full min-h-0">
      {(!isNarrow || act === null) && (
        <div className={`flex min-h-0 flex-col ${isNarrow ? "flex-1" : "w-60 flex-none"}`}>
          {path !== null && (
            <p className="mx-2 mb-1 flex flex-none items-center gap-1 rounded-lg bg-hover ps-3 text-xs">
              <span dir="ltr" className="min-w-0 flex-1 truncate" title={path}>
                {strings.onlyFile(path)}
              </span>
              <IconButton label={strings.showAllFiles} className="size-7" onClick={onAll}>
                <X aria-hidden="true" className="size-3.5" />
              </IconButton>
            </p>
          )}
          <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain pb-4">
            <VersionList versions={versions} current={act?.seq ?? null} onOpen={({ seq }) => setSelected(seq)} />
          </div>
        </div>
      )}
      {act && (
        <VersionView
          key={act.id}
          store={store}
          act={act}
          isNewest={path === null && act === versions.acts[0]}
          isNarrow={isNarrow}
          onBack={() => setSelected(null)}
        />
      )}
    </div>
  );
};

export default VersionsPane;
