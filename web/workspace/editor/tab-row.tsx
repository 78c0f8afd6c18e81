import { ArrowLeft, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { useSignal } from "../../lib/signal.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { isUnsaved } from "../state/buffer.ts";
import type { WorkspaceStore } from "../state/workspace-store.ts";
import { FileIcon } from "../tree/file-icon.tsx";
import { folderPathOf, nameOf } from "../tree/tree-rows.ts";
import { editor as strings } from "../../strings/workspace/editor.ts";

type Props = { readonly store: WorkspaceStore; readonly isNarrow: boolean };

/** The tabs of the open files. Files of the same name show their folder. */
export const TabRow = ({ store, isNarrow }: Props) => {
  const { open, at } = useSignal(store.tabs.row);
  const row = useRef<HTMLUListElement>(null);
  useEffect(() => {
    row.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [at]);
  return (
    <div className="flex flex-none items-center gap-1 ps-2 pe-1">
      {isNarrow && (
        <IconButton label={strings.tabs.allFiles} onClick={() => store.tabs.leave()}>
          <ArrowLeft aria-hidden="true" className="size-4.5 rtl:-scale-x-100" />
        </IconButton>
      )}
      <ul
        ref={row}
        aria-label={strings.tabs.list}
        className="flex min-w-0 flex-1 gap-0.5 overflow-x-auto [scrollbar-width:none]"
      >
        {open.map((path) => (
          <Tab
            key={path}
            store={store}
            path={path}
            isCurrent={path === at}
            isAmbiguous={open.some((other) => other !== path && nameOf(other) === nameOf(path))}
          />
        ))}
      </ul>
    </div>
  );
};

type TabProps = {
  readonly store: WorkspaceStore;
  readonly path: string;
  readonly isCurrent: boolean;
  readonly isAmbiguous: boolean;
};

const Tab = ({ store, path, isCurrent, isAmbiguous }: TabProps) => {
  const unsaved = isUnsaved(useSignal(store.buffers.get(path)));
  return (
    <li
      className={`group/tab flex h-8 flex-none items-center rounded-lg pe-0.5 text-sm pointer-coarse:h-10 ${isCurrent ? "bg-press" : "text-soft hover:bg-hover hover:text-ink"}`}
    >
      <button
        type="button"
        {...(isCurrent ? { "aria-current": "true" } : {})}
        title={path}
        onClick={() => store.tabs.open(path)}
        onAuxClick={(event) => event.button === 1 && store.close(path)}
        className="flex h-full items-center gap-1.5 rounded-lg ps-2.5 pe-1 focus-visible:-outline-offset-2"
      >
        <FileIcon path={path} className="size-3.5" />
        <span>{nameOf(path)}</span>
        {isAmbiguous && <span className="text-xs text-soft">{folderPathOf(path) || "/"}</span>}
        {unsaved && (
          <span className="size-1.5 rounded-full bg-accent">
            <span className="sr-only">{strings.tabs.unsaved}</span>
          </span>
        )}
      </button>
      <IconButton
        label={strings.tabs.close(nameOf(path))}
        className={`size-6 rounded-md pointer-coarse:size-9 ${isCurrent ? "" : "pointer-fine:opacity-0 group-hover/tab:opacity-100 focus-visible:opacity-100"}`}
        onClick={() => store.close(path)}
      >
        <X aria-hidden="true" className="size-3.5" />
      </IconButton>
    </li>
  );
};
