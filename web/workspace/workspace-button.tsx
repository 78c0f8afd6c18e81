import { PanelRight } from "lucide-react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { useHasSpace } from "./workspace-panel.tsx";
import { hideWorkspace, showWorkspace } from "../state/workspace-route.ts";
import { ui as strings } from "../strings/ui.ts";

/** Shows or hides the workspace next to the thread. */
export const WorkspaceButton = ({ projectId }: { readonly projectId: string }) => {
  const page = usePage();
  const isShown = useSignal(page.workspace)?.projectId === projectId;
  if (!useHasSpace()) return null;
  return (
    <IconButton
      label={strings.workspace}
      aria-pressed={isShown}
      className="aria-pressed:bg-hover aria-pressed:text-ink"
      onClick={() => (isShown ? hideWorkspace(page) : showWorkspace(page, { projectId }))}
    >
      <PanelRight aria-hidden="true" className="size-4.5 rtl:-scale-x-100" />
    </IconButton>
  );
};
