import type { Act } from "../../protocol/project/project.ts";
import { listFileChanges } from "./versions/describe-act.ts";
import { FileDiff } from "./versions/file-diff.tsx";
import { workspace as strings } from "../strings/workspace/workspace.ts";

type Props = { readonly projectId: string; readonly act: Act };

/** The files that an act changed, each with its diff. */
export const RunFiles = ({ projectId, act }: Props) => {
  const changes = listFileChanges(act);
  if (changes.length === 0) return null;
  return (
    <ul aria-label={strings.diff.files} className="grid gap-1 py-1">
      {changes.map((change) => (
        <li key={change.path} className="min-w-0">
          <FileDiff projectId={projectId} change={change} from={act.seq - 1} to={act.seq} isOpen={false} />
        </li>
      ))}
    </ul>
  );
};
