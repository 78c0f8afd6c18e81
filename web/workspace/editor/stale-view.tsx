import { useRef, useState } from "react";
import type { FileText } from "../../../protocol/workspace/workspace.ts";
import type { WorkspaceStore } from "../state/workspace-store.ts";
import { useWidth } from "../../lib/use-width.ts";
import { MergeEditor } from "./merge-editor.tsx";

type Props = {
  readonly store: WorkspaceStore;
  readonly path: string;
  readonly mine: string;
  /** null: the file was deleted. */
  readonly theirs: FileText | null;
};

/** Narrower than this, two texts beside each other are two halves of neither. */
const besidePx = 720;

/** Two texts for one file: both are shown, and the person says what shall stand there. */
export const StaleView = ({ store: { buffers }, path, mine, theirs }: Props) => {
  const [text, setText] = useState(mine);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 0);
  const isNarrow = width < besidePx;
  const write = (next: string) => {
    setText(next);
    buffers.write(path, next);
  };
  return (
    <div ref={box} className="flex min-h-0 flex-1 flex-col pt-2">
      <div
        role="group"
        aria-label="Two texts for one file"
        className="mx-3 mb-2 grid flex-none gap-2 rounded-xl bg-warn-wash px-4 py-3"
      >
        <p role="alert" className="text-sm text-pretty">
          {theirs === null
            ? `${path} was deleted while you were writing.`
            : `${path} was changed while you were writing. Nothing is lost: theirs is ${isNarrow ? "shown where it differs" : "on the left"}, yours can be written on.`}
        </p>
        <div className="flex flex-wrap gap-2">
          <button
            type="button"
            className="plain-button strong-button min-h-8"
            onClick={() => void buffers.settle(path, text)}
          >
            {theirs === null ? "Write it again" : "Save what stands here"}
          </button>
          <button
            type="button"
            className="plain-button min-h-8 bg-raised"
            onClick={() => void buffers.settle(path, null)}
          >
            {theirs === null ? "Let it go" : "Take theirs"}
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
