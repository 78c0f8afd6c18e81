import { useEffect, useRef, type FormEvent } from "react";
import { Sheet } from "../ui/sheet.tsx";
import { usePage } from "../state/page.ts";
import { useThread } from "./use-thread.ts";

const longest = 200;

export const RenameSheet = ({ threadId, onClose }: { readonly threadId: string; readonly onClose: () => void }) => {
  const { commands } = usePage();
  const thread = useThread(threadId);
  const field = useRef<HTMLInputElement>(null);
  // Once the sheet has remembered where the focus was.
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
    <Sheet title="Rename this thread" size="narrow" onClose={onClose}>
      <form onSubmit={onSubmit} className="grid gap-4 pt-1">
        <input
          ref={field}
          name="title"
          dir="auto"
          aria-label="Title"
          defaultValue={thread.title}
          maxLength={longest}
          onFocus={(event) => event.currentTarget.select()}
          className="h-11 w-full rounded-xl bg-raised px-3.5 shadow-float"
        />
        <div className="flex justify-end gap-2">
          <button type="button" className="plain-button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="plain-button strong-button">
            Rename
          </button>
        </div>
      </form>
    </Sheet>
  );
};
