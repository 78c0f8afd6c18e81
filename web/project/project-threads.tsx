import { MessageSquarePlus } from "lucide-react";
import { toRelativeTime } from "../ui/relative-time.ts";
import { useNow } from "../ui/use-now.ts";
import { beginTab, toPath, toProjectPath } from "../state/route.ts";
import { Quiet, Section } from "./bits/section.tsx";
import { useProject } from "./state/project-context.ts";
import { useProjectThreads } from "./use-project-threads.ts";

const most = 8;

/** The conversations about this project, newest first. */
export const ProjectThreads = () => {
  const { projectId } = useProject();
  const threads = useProjectThreads(projectId);
  const now = useNow();
  return (
    <Section
      title="Threads"
      actions={
        <a href={toProjectPath(projectId, beginTab)} className="plain-button min-h-8 bg-transparent text-accent">
          <MessageSquarePlus aria-hidden="true" className="size-4" />
          New
        </a>
      }
    >
      {threads.length === 0 && <Quiet>No thread of this project yet.</Quiet>}
      <ul className="-mx-2.5">
        {threads.slice(0, most).map((thread) => (
          <li key={thread.id}>
            <a
              href={toPath(thread.id)}
              className="flex min-h-9 items-center gap-2.5 rounded-xl px-2.5 py-1.5 text-sm hover:bg-hover pointer-coarse:min-h-11"
            >
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {thread.title || "New thread"}
              </span>
              <span className="flex-none text-xs text-soft">{toRelativeTime(thread.updatedAt, now)}</span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
};
