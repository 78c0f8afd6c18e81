import { ThreadRows } from "../list/thread-rows.tsx";
import { useProjectThreads } from "./use-project-threads.ts";

/** The threads of one project, below it. */
export const GroupedThreads = ({ projectId }: { readonly projectId: string }) => {
  const threads = useProjectThreads(projectId);
  return (
    <div className="ps-5 pb-1">
      {threads.length === 0 ? (
        <p className="px-3 py-1 text-xs text-soft">No threads yet.</p>
      ) : (
        <ThreadRows threads={threads} />
      )}
    </div>
  );
};
