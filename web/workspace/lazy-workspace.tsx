import type { ComponentProps } from "react";
import { WorkspaceCard } from "./workspace-card.tsx";
import { ThreadWorkspace } from "./thread-workspace.tsx";
import { MessageSquare } from "lucide-react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { Segmented, type SegmentOption } from "../ui/segmented.tsx";
import { hideWorkspace, showWorkspace, type WorkspaceSide } from "../state/workspace-route.ts";
import { sideOptions } from "./workspace.tsx";
import { workspace as strings } from "../strings/workspace/workspace.ts";

type Props =
  | { readonly panel: ComponentProps<typeof ThreadWorkspace> }
  | { readonly choice: ComponentProps<typeof ThreadSwitch> }
  | { readonly card: ComponentProps<typeof WorkspaceCard> };

/**
 * Workspace views of a thread, loaded together on first use: separate chunks would split the modules they share into one
 * file per combination. The editor and its grammars are loaded on demand.
 */
const LateWorkspace = (props: Props) => {
  if ("panel" in props) return <ThreadWorkspace {...props.panel} />;
  if ("choice" in props) return <ThreadSwitch {...props.choice} />;
  return <WorkspaceCard {...props.card} />;
};

export default LateWorkspace;

const options: readonly SegmentOption<"chat" | WorkspaceSide>[] = [
  { value: "chat", label: strings.views.chat, Icon: MessageSquare },
  ...sideOptions,
];

/** Narrow pages show one view at a time: the thread, or one view of the workspace. */
const ThreadSwitch = ({ projectId }: { readonly projectId: string }) => {
  const page = usePage();
  const route = useSignal(page.workspace);
  const value = route?.projectId === projectId ? route.side : "chat";
  const choose = (next: "chat" | WorkspaceSide) =>
    next === "chat" ? hideWorkspace(page) : showWorkspace(page, { projectId, side: next });
  return (
    <div className="flex h-11 flex-none items-center gap-1 px-3 pb-1">
      <Segmented label={strings.view} options={options} value={value} className="flex-1" onChange={choose} />
    </div>
  );
};
