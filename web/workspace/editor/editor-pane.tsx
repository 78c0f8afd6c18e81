import { useSignal } from "../../lib/signal.ts";
import { groupDigits } from "../../lib/format.ts";
import { textOf, type TextBuffer } from "../state/buffer.ts";
import type { WorkspaceStore } from "../state/workspace-store.ts";
import { BytesView } from "./bytes-view.tsx";
import { CodeEditor } from "./code-editor.tsx";
import { SaveNote } from "./save-note.tsx";
import { StaleView } from "./stale-view.tsx";
import { TabRow } from "./tab-row.tsx";
import { editor as strings } from "../../strings/workspace/editor.ts";
import { actions } from "../../strings/actions.ts";

type Props = { readonly store: WorkspaceStore; readonly isNarrow: boolean };

/** Tabs of the open files and an editor for the current one. Saved with Ctrl or Cmd S and on blur. */
const EditorPane = ({ store, isNarrow }: Props) => {
  const { at } = useSignal(store.tabs.row);
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-1 flex-col">
      <TabRow store={store} isNarrow={isNarrow} />
      {at === null ? (
        <p className="m-auto max-w-64 p-6 text-center text-sm text-pretty text-soft">{strings.empty}</p>
      ) : (
        <OpenFile key={at} store={store} path={at} isNarrow={isNarrow} />
      )}
    </div>
  );
};

export default EditorPane;

type FileProps = Props & { readonly path: string };

const OpenFile = ({ store, path, isNarrow }: FileProps) => {
  const state = useSignal(store.buffers.get(path));
  switch (state.phase) {
    case "loading":
      return (
        <p role="status" className="m-auto animate-late text-sm text-soft">
          {actions.loading}
        </p>
      );
    case "failed":
      return (
        <p role="alert" className="m-auto p-6 text-sm text-danger">
          {state.text}
        </p>
      );
    case "gone":
      return (
        <div className="m-auto grid justify-items-center gap-3 p-6 text-center text-sm text-soft">
          <p className="text-pretty">{strings.gone(path)}</p>
          <button type="button" className="plain-button" onClick={() => store.close(path)}>
            {actions.close}
          </button>
        </div>
      );
    case "bytes":
      return <BytesView file={state.file} />;
    case "text":
      return state.save.name === "stale" ? (
        <StaleView store={store} path={path} mine={textOf(state)} theirs={state.save.theirs} />
      ) : (
        <TextFile store={store} path={path} isNarrow={isNarrow} state={state} />
      );
  }
};

const TextFile = ({ store, path, isNarrow, state }: FileProps & { readonly state: TextBuffer }) => {
  const goal = useSignal(store.goal);
  const { buffers } = store;
  const text = textOf(state);
  return (
    <>
      <div className="flex h-8 flex-none items-center gap-3 px-4 text-xs text-soft">
        <span dir="ltr" className="min-w-0 flex-1 truncate">
          {path}
        </span>
        <SaveNote state={state} onSave={() => void buffers.save(path)} onCompare={() => void buffers.compare(path)} />
        <span className="flex-none tabular-nums max-sm:hidden">{toLength(countLines(text))}</span>
      </div>
      <div className="min-h-0 flex-1 bg-ground">
        <CodeEditor
          path={path}
          text={text}
          isWrapped={isNarrow || path.endsWith(".md")}
          goal={goal?.path === path ? goal : null}
          onReach={() => store.goal.set(null)}
          onChange={(next) => buffers.write(path, next)}
          onSave={() => void buffers.save(path)}
          onLeave={() => buffers.leave(path)}
        />
      </div>
    </>
  );
};

const toLength = (lines: number): string => strings.length(lines, groupDigits(lines));

const countLines = (text: string): number =>
  text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
