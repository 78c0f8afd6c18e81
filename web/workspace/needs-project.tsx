import { FolderKanban, RotateCcw } from "lucide-react";
import { useState } from "react";
import { isActive, type ThreadView } from "../../protocol/fold.ts";
import { cardKindOf } from "../labels/card-kind.ts";
import { unwrapCall } from "../labels/tools.ts";
import { usePage } from "../state/page.ts";
import { actions } from "../strings/actions.ts";
// Not with the texts of the workspace, which are loaded on first use.
import { ui } from "../strings/ui.ts";

const strings = ui.needsProject;
const fileKinds: ReadonlySet<string> = new Set(["fileChange", "fileView", "fileSearch", "workspace"]);

/** Says why the last answer could not write files, and offers what to do; once the thread has a project, to answer again. */
export const NeedsProject = ({ view }: { readonly view: ThreadView }) => {
  const { projectMenu, commands } = usePage();
  const { thread, messages, run } = view;
  const answerId = messages.findLast(({ role }) => role === "assistant")?.id;
  const isLacking = thread?.projectId === null && hasFailedFileCall(view);
  const [lackingId, setLackingId] = useState<string>();
  if (isLacking && lackingId !== answerId) setLackingId(answerId);
  const isMended = !isLacking && answerId !== undefined && lackingId === answerId && !isActive(run);
  if (!isLacking && !isMended) return null;
  return (
    <div
      role="status"
      className="mb-2 flex animate-rise flex-wrap items-center gap-x-3 gap-y-1 rounded-xl bg-warn-wash py-1.5 ps-3 pe-1.5 text-sm"
    >
      <p className="min-w-0 flex-[1_1_14rem]">{isMended ? strings.mended : strings.text}</p>
      {isMended && thread ? (
        <button
          type="button"
          className="plain-button"
          onClick={() => void commands.regenerate(thread.id, answerId).then((isDone) => isDone && setLackingId(""))}
        >
          <RotateCcw aria-hidden="true" className="size-4" />
          {actions.retry}
        </button>
      ) : (
        <button type="button" className="plain-button" onClick={() => projectMenu.set(projectMenu.get() + 1)}>
          <FolderKanban aria-hidden="true" className="size-4" />
          {strings.choose}
        </button>
      )}
    </div>
  );
};

function hasFailedFileCall({ messages }: ThreadView): boolean {
  const parts = messages.findLast(({ role }) => role === "assistant")?.parts ?? [];
  return parts.some(
    (part) => part.kind === "tool" && part.state === "error" && fileKinds.has(cardKindOf(unwrapCall(part).name)),
  );
}
