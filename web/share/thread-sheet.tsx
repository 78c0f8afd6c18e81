import type { ThreadSheetRoute } from "../state/panels.ts";
import { ShareSheet } from "./share-sheet.tsx";
import DeleteThread from "../list/delete-thread.tsx";
import { usePage } from "../state/page.ts";
import { useThread } from "../state/use-thread.ts";
import { useEffect, useRef, type FormEvent } from "react";
import { Sheet } from "../ui/sheet.tsx";
import { actions } from "../strings/actions.ts";
import { share as strings } from "../strings/share/sheet.ts";

type Props = { readonly route: ThreadSheetRoute; readonly onClose: () => void };

/** Dialogs about a thread, opened from the palette or a row's menu. */
const ThreadSheet = ({ route: { kind, threadId }, onClose }: Props) => {
  switch (kind) {
    case "share":
      return <ShareSheet threadId={threadId} onClose={onClose} />;
    case "rename":
      return <RenameSheet threadId={threadId} onClose={onClose} />;
    case "delete":
      return <DeleteSheet threadId={threadId} onClose={onClose} />;
  }
};

export default ThreadSheet;

const DeleteSheet = ({ threadId, onClose }: { readonly threadId: string; readonly onClose: () => void }) => {
  const { threadActions, goTo } = usePage();
  const thread = useThread(threadId);
  if (!thread) return null;
  const onConfirm = (forget: boolean) => {
    // A temporary thread is deleted when it is left.
    if (thread.temporary) goTo(null);
    else threadActions.remove(thread, forget);
  };
  return <DeleteThread thread={thread} onConfirm={onConfirm} onClose={onClose} />;
};

const maxTitleCharacters = 200;

const RenameSheet = ({ threadId, onClose }: { readonly threadId: string; readonly onClose: () => void }) => {
  const { commands } = usePage();
  const thread = useThread(threadId);
  const field = useRef<HTMLInputElement>(null);
  // After the sheet has stored the previous focus.
  useEffect(() => {
    const frame = requestAnimationFrame(() => field.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  if (!thread) return null;
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const title = String(new FormData(event.currentTarget).get("title") ?? "").trim();
    if (title !== "" && title !== thread.title) void commands.changeThread(threadId, { title });
    onClose();
  };
  return (
    <Sheet title={strings.rename} size="narrow" onClose={onClose}>
      <form onSubmit={onSubmit} className="grid gap-4 pt-1">
        <input
          ref={field}
          name="title"
          dir="auto"
          aria-label={strings.threadTitle}
          defaultValue={thread.title}
          maxLength={maxTitleCharacters}
          onFocus={(event) => event.currentTarget.select()}
          className="h-11 w-full rounded-xl bg-raised px-3.5 shadow-float"
        />
        <div className="flex justify-end gap-2">
          <button type="button" className="plain-button" onClick={onClose}>
            {actions.cancel}
          </button>
          <button type="submit" className="plain-button strong-button">
            {actions.rename}
          </button>
        </div>
      </form>
    </Sheet>
  );
};
