import { useEffect, useState } from "react";
import { usePage } from "../state/page.ts";
import { beginTab, toProjectPath } from "../state/route.ts";
import { recallSide, type WorkspaceSide } from "../state/workspace-route.ts";
import { Workspace } from "./workspace.tsx";

type Props = {
  readonly projectId: string;
  /** A file named in the URL. */
  readonly path: string | null;
};

/** A project's files on the project page. Questions about them start a thread in the project. */
const WorkspacePage = ({ projectId, path }: Props) => {
  const page = usePage();
  const [side, setSide] = useState<WorkspaceSide>(
    () => (path === null ? recallSide(page, projectId) : null) ?? "files",
  );
  useEffect(() => {
    if (path !== null) setSide("files");
  }, [path]);
  return (
    <div className="min-h-0 flex-1">
      <Workspace
        projectId={projectId}
        path={path}
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
