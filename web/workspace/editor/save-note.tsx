import { Check, LoaderCircle, TriangleAlert } from "lucide-react";
import type { TextBuffer } from "../state/buffer.ts";

type Props = { readonly state: TextBuffer; readonly onSave: () => void; readonly onCompare: () => void };

const link = "rounded-md px-1.5 py-0.5 font-medium text-ink underline underline-offset-2 hover:bg-hover";

/** Whether everything is saved; and when it cannot be, why, and what to do. */
export const SaveNote = ({ state: { draft, save }, onSave, onCompare }: Props) => (
  <span role="status" className="flex flex-none items-center gap-1.5">
    {save.name === "behind" ? (
      <>
        <TriangleAlert aria-hidden="true" className="size-3.5 text-danger" />
        <span className="text-ink">{save.theirs === null ? "Deleted meanwhile" : "Changed meanwhile"}</span>
        <button type="button" className={link} onClick={onCompare}>
          Compare
        </button>
      </>
    ) : save.name === "failed" ? (
      <>
        <TriangleAlert aria-hidden="true" className="size-3.5 text-danger" />
        <span className="max-w-64 truncate text-danger" title={save.text}>
          Not saved: {save.text}
        </span>
        <button type="button" className={link} onClick={onSave}>
          Try again
        </button>
      </>
    ) : save.name === "saving" ? (
      <>
        <LoaderCircle aria-hidden="true" className="size-3.5 animate-spin" />
        Saving…
      </>
    ) : draft === null ? (
      <>
        <Check aria-hidden="true" className="size-3.5 text-good" />
        Saved
      </>
    ) : (
      <button type="button" className={link} title="Save (Ctrl S)" onClick={onSave}>
        Save
      </button>
    )}
  </span>
);
