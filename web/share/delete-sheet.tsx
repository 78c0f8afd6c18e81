import DeleteThread from "../list/delete-thread.tsx";
import { usePage } from "../state/page.ts";
import { useThread } from "./use-thread.ts";

export const DeleteSheet = ({ threadId, onClose }: { readonly threadId: string; readonly onClose: () => void }) => {
  const { commands, route, goTo } = usePage();
  const thread = useThread(threadId);
  if (!thread) return null;
  const onConfirm = (forget: boolean) => {
    void commands.deleteThread(threadId, forget);
    if (route.get().threadId === threadId) goTo(null);
  };
  return <DeleteThread thread={thread} onConfirm={onConfirm} onClose={onClose} />;
};
