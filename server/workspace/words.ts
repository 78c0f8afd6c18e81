import type { FileOp } from "../../protocol/workspace/workspace.ts";

type Known = readonly { readonly path: string }[];

/** What was done by hand, in a sentence. */
export function describeOps(ops: readonly FileOp[], files: Known): string {
  const [only, ...more] = ops;
  if (only && more.length === 0) return tellOne(only, files);
  const counts = Map.groupBy(ops, (op) => op.do);
  const words = { write: "wrote", rename: "renamed", delete: "deleted" } as const;
  const parts = [...counts].map(
    ([kind, list]) => `${words[kind]} ${list.length} ${list.length === 1 ? "file" : "files"}`,
  );
  const text = parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function tellOne(op: FileOp, files: Known): string {
  if (op.do === "delete") return `Deleted ${op.path}`;
  if (op.do === "rename") return `Renamed ${op.path} to ${op.to}`;
  return `${files.some(({ path }) => path === op.path) ? "Changed" : "Created"} ${op.path}`;
}
