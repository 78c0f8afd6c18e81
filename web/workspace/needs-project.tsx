import { FolderKanban } from "lucide-react";
import type { ThreadView } from "../../protocol/fold.ts";
import { cardKindOf } from "../labels/card-kind.ts";
import { unwrapCall } from "../labels/tools.ts";
import { usePage } from "../state/page.ts";
// Not with the texts of the workspace, which are loaded on first use.
import { ui } from "../strings/ui.ts";

const strings = ui.needsProject;
const fileKinds: ReadonlySet<string> = new Set(["fileChange", "fileView", "fileSearch", "workspace"]);

/** Says why the last answer could not write files, and offers what to do. */
export const NeedsProject = ({ view }: { readonly view: ThreadView }) => {
  const { projectMenu } = usePage();
  if (view.thread?.projectId !== null || !hasFailedFileCall(view)) return null;
  return (
    <div
      role="status"
      className="mb-2 flex animate-rise flex-wrap items-center gap-x-3 gap-y-1 rounded-xl bg-warn-wash py-1.5 ps-3 pe-1.5 text-sm"
    >
      <p className="min-w-0 flex-[1_1_14rem]">{strings.text}</p>
      <button type="button" className="plain-button" onClick={() => projectMenu.set(projectMenu.get() + 1)}>
        <FolderKanban aria-hidden="true" className="size-4" />
        {strings.choose}
      </button>
    </div>
  );
};

function hasFailedFileCall({ messages }: ThreadView): boolean {
  const parts = messages.findLast(({ role }) => role === "assistant")?.parts ?? [];
  return parts.some(
    (part) => part.kind === "tool" && part.state === "error" && fileKinds.has(cardKindOf(unwrapCall(part).name)),
  );
}
