import { MessageSquare } from "lucide-react";
import { useSignal } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { Choice, type Option } from "./choice.tsx";
import { hideWorkspace, showWorkspace, type WorkspaceSide } from "./place.ts";
import { sideOptions } from "./workspace.tsx";

const options: readonly Option<"chat" | WorkspaceSide>[] = [
  { value: "chat", label: "Chat", Icon: MessageSquare },
  ...sideOptions,
];

/** Where there is room for one thing at a time: the thread, or one side of its project's files. */
export const ThreadSwitch = ({ projectId }: { readonly projectId: string }) => {
  const page = usePage();
  const place = useSignal(page.workspace);
  const value = place?.projectId === projectId ? place.side : "chat";
  const choose = (next: "chat" | WorkspaceSide) =>
    next === "chat" ? hideWorkspace(page) : showWorkspace(page, { projectId, side: next });
  return (
    <div className="flex h-11 flex-none items-center gap-1 px-3 pb-1">
      <Choice label="View" options={options} value={value} className="flex-1" onChange={choose} />
    </div>
  );
};
