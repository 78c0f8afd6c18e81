import type { DiffCount } from "./diff-lines.ts";
import { workspace as strings } from "../strings/workspace/workspace.ts";

/** Numbers of added and removed lines. */
export const DiffCounts = ({ added, removed }: DiffCount) => (
  <span className="flex-none text-xs font-medium tabular-nums">
    <span className="sr-only">{strings.diff.counts(added, removed)}</span>
    <span aria-hidden="true" className="text-good">
      +{added}
    </span>{" "}
    <span aria-hidden="true" className="text-danger">
      −{removed}
    </span>
  </span>
);
