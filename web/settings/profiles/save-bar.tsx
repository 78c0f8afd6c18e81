import type { RequestState } from "../../lib/use-request.ts";
import { FormMessage } from "../../ui/form-message.tsx";

type Props = {
  readonly state: RequestState;
  readonly isChanged: boolean;
  readonly hasFaults: boolean;
  readonly onDiscard: () => void;
};

/** Sticky bar of a long form, visible while there are unsaved changes. */
export const SaveBar = ({ state, isChanged, hasFaults, onDiscard }: Props) => {
  if (!isChanged) return <FormMessage state={state.name === "failed" ? { name: "idle" } : state} />;
  return (
    <div className="sticky bottom-4 z-10 flex flex-wrap items-center gap-2 rounded-2xl bg-raised px-4 py-3 shadow-float">
      <p className="min-w-0 flex-1 text-sm text-soft">
        {hasFaults ? "Something above needs another look." : "Not saved yet. It stays here until it is."}
      </p>
      <FormMessage state={state.name === "done" ? { name: "idle" } : state} />
      <button type="button" className="plain-button" onClick={onDiscard}>
        Discard
      </button>
      <button type="submit" className="plain-button strong-button" disabled={hasFaults || state.name === "sending"}>
        Save
      </button>
    </div>
  );
};

type ChangedProps = { readonly onMine: () => void; readonly onTheirs: () => void };

/** It was changed elsewhere while being edited here. */
export const Changed = ({ onMine, onTheirs }: ChangedProps) => (
  <div role="alert" className="grid gap-3 rounded-2xl bg-warn-wash px-4 py-3 text-sm">
    <p>
      This profile was changed elsewhere while you were writing. What you typed is still here; nothing of it was saved
      yet.
    </p>
    <div className="flex flex-wrap gap-2">
      <button type="button" className="plain-button" onClick={onMine}>
        Save mine over it
      </button>
      <button type="button" className="plain-button" onClick={onTheirs}>
        Take the other
      </button>
    </div>
  </div>
);
