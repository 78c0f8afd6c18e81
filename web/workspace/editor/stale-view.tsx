import { useRef, useState } from "react";
import type { FileText } from "../../../protocol/workspace/workspace.ts";
import type { WorkspaceStore } from "../state/workspace-store.ts";
import { useWidth } from "../../lib/use-width.ts";
import { MergeEditor } from "./merge-editor.tsx";
import { editor } from "../../strings/workspace/editor.ts";

const strings = editor.conflict;

type Props = {
  readonly store: WorkspaceStore;
  readonly path: string;
  readonly mine: string;
  /** null: the file was deleted. */
  readonly theirs: FileText | null;
};

/** Below this width the versions are merged into one column. */
const sideBySidePx = 720;

/** Resolves a conflict: shows both versions of a file, and the user chooses or merges them. */
export const StaleView = ({ store: { buffers }, path, mine, theirs }: Props) => {
  const [text, setText] = useState(mine);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 0);
  const isNarrow = width < sideBySidePx;
  const write = (next: string) => {
    setText(next);
    buffers.write(path, next);
  };
  return (
    <div ref={box} className="flex min-h-0 flex-1 flex-col pt-2">
      <div
        role="group"
        aria-label={strings.title}
        className="mx-3 mb-2 grid flex-none gap-2 rounded-xl bg-warn-wash px-4 py-3"
      >
        <p role="alert" className="text-sm text-pretty">
          {theirs === null ? strings.deleted(path) : isNarrow ? strings.changedNarrow(path) : strings.changed(path)}
        </p>
        <div className="flex flex-wrap gap-2">
          <button
            type="button"
            className="plain-button strong-button min-h-8"
            onClick={() => void buffers.settle(path, text)}
          >
            {theirs === null ? strings.saveAgain : strings.save}
          </button>
          <button
            type="button"
            className="plain-button min-h-8 bg-raised"
            onClick={() => void buffers.settle(path, null)}
          >
            {theirs === null ? strings.discard : strings.useTheirVersion}
          </button>
        </div>
      </div>
      {typeof theirs?.text === "string" && width > 0 && (
        <div className="min-h-0 flex-1">
          <MergeEditor path={path} mine={mine} theirs={theirs.text} isNarrow={isNarrow} onChange={write} />
        </div>
      )}
    </div>
  );
};
