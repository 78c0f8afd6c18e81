import { Lock, Users } from "lucide-react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { members } from "../strings/project/members.ts";
import { ActButton } from "../ui/act-button.tsx";

const strings = members.inThread;

/** Who of its project can see a thread. Says what sharing shows before it shares. */
export const MemberSharing = ({ thread }: { readonly thread: ThreadSummary }) => {
  const { client, projects } = usePage();
  const { id: threadId, projectId, shared = false, role } = thread;
  // Projects without members have no role.
  const hasMembers = useSelected(projects.state, (state) =>
    state.projects.some((project) => project.id === projectId && project.role !== undefined),
  );
  if (thread.temporary || (shared ? role !== "owner" : !hasMembers)) return null;
  const change = (id: string) => client.changeThread({ params: { threadId }, body: { id, shared: !shared } });
  return (
    <section aria-label={strings.title} className="mt-6 text-sm">
      <h3 className="text-xs font-medium text-soft">{strings.title}</h3>
      <p className="mt-2 flex items-center gap-2 font-medium">
        {shared ? (
          <Users aria-hidden="true" className="size-4 flex-none" />
        ) : (
          <Lock aria-hidden="true" className="size-4 flex-none" />
        )}
        {shared ? strings.isShared : strings.isPrivate}
      </p>
      <p className="mt-2 text-soft">{shared ? strings.unshareText : strings.warning}</p>
      {!shared && <p className="mt-1 text-soft">{strings.noMemory}</p>}
      <ActButton act={change} look="plain-button mt-3">
        {shared ? strings.unshare : strings.share}
      </ActButton>
    </section>
  );
};
