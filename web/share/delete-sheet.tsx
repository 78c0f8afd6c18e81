import DeleteThread from "../list/delete-thread.tsx";
import { usePage } from "../state/page.ts";
import { useThread } from "./use-thread.ts";

export const DeleteSheet = ({ threadId, onClose }: { readonly threadId: string; readonly onClose: () => void }) => {
  const { acts, goTo } = usePage();
  const thread = useThread(threadId);
  if (!thread) return null;
  const onConfirm = (forget: boolean) => {
    // A temporary one goes by being left.
    if (thread.temporary) goTo(null);
    else acts.remove(thread, forget);
  };
  return <DeleteThread thread={thread} onConfirm={onConfirm} onClose={onClose} />;
};
