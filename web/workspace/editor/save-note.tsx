import { Check, LoaderCircle, TriangleAlert } from "lucide-react";
import type { TextBuffer } from "../state/buffer.ts";
import { editor as strings } from "../../strings/workspace/editor.ts";
import { actions } from "../../strings/actions.ts";

type Props = { readonly state: TextBuffer; readonly onSave: () => void; readonly onCompare: () => void };

const link = "rounded-md px-1.5 py-0.5 font-medium text-ink underline-offset-2 hover:bg-hover underline";

/** Whether the file is saved; if saving failed, the reason and the next step. */
export const SaveNote = ({ state: { draft, save }, onSave, onCompare }: Props) => (
  <span role="status" className="flex flex-none items-center gap-1.5">
    {save.name === "behind" ? (
      <>
        <TriangleAlert aria-hidden="true" className="size-3.5 text-danger" />
        <span className="text-ink">{save.theirs === null ? strings.save.deleted : strings.save.changed}</span>
        <button type="button" className={link} onClick={onCompare}>
          {strings.save.compare}
        </button>
      </>
    ) : save.name === "failed" ? (
      <>
        <TriangleAlert aria-hidden="true" className="size-3.5 text-danger" />
        <span className="max-w-64 truncate text-danger" title={save.text}>
          {strings.save.failed(save.text)}
        </span>
        <button type="button" className={link} onClick={onSave}>
          {actions.retry}
        </button>
      </>
    ) : save.name === "saving" ? (
      <>
        <LoaderCircle aria-hidden="true" className="size-3.5 animate-spin" />
        {strings.save.saving}
      </>
    ) : draft === null ? (
      <>
        <Check aria-hidden="true" className="size-3.5 text-good" />
        {actions.saved}
      </>
    ) : (
      <button type="button" className={link} title={strings.save.hint} onClick={onSave}>
        {actions.save}
      </button>
    )}
  </span>
);
