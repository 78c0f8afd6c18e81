import type { DiffCount } from "./diff-lines.ts";

/** How many lines came and went, in the colours of a diff. */
export const DiffCounts = ({ come, gone }: DiffCount) => (
  <span className="flex-none text-xs font-medium tabular-nums">
    <span className="sr-only">
      {come} lines added, {gone} removed
    </span>
    <span aria-hidden="true" className="text-good">
      +{come}
    </span>{" "}
    <span aria-hidden="true" className="text-danger">
      −{gone}
    </span>
  </span>
);
