import { useState } from "react";
import { usePage } from "../state/page.ts";
import { beginTab, toProjectPath } from "../state/route.ts";
import { recallSide, type WorkspaceSide } from "./place.ts";
import { Workspace } from "./workspace.tsx";

/** The files of a project on its own page. What is asked about them begins a thread in the project. */
const WorkspacePage = ({ projectId }: { readonly projectId: string }) => {
  const page = usePage();
  const [side, setSide] = useState<WorkspaceSide>(() => recallSide(page, projectId) ?? "files");
  return (
    <div className="min-h-0 flex-1">
      <Workspace
        projectId={projectId}
        side={side}
        onSide={setSide}
        onAsk={(text) => {
          page.quoted.set(text);
          page.go(toProjectPath(projectId, beginTab));
        }}
      />
    </div>
  );
};

export default WorkspacePage;
