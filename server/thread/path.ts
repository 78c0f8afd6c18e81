import type { MessageView } from "../../protocol/fold.ts";
import type { Reads, Segment } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { toHead, toPart, toMessageView } from "./rows.ts";

type PathReads = Pick<Reads, "segments" | "pathEnd" | "partsOf" | "siblings" | "branch" | "forksOf" | "message">;

const WHOLE = Number.MAX_SAFE_INTEGER;

export type Window = {
  readonly thread: string;
  readonly branch: string;
  readonly upTo?: number;
  readonly count: number;
};

type LoadedWindow = { readonly messages: readonly MessageView[]; readonly tokens: ReadonlyMap<string, number> };

/** The last messages of a path with their parts. Cost is O(window), not O(thread). */
export async function loadWindow(
  read: PathReads,
  { thread, branch, upTo = WHOLE, count }: Window,
): Promise<LoadedWindow> {
  const segments = await read.segments({ thread, branch, upTo }, count);
  const rows = await read.pathEnd(thread, segments, count);
  const parts = await read.partsOf(
    thread,
    rows.map((row) => row.id),
  );
  const partsByMessage = Map.groupBy(parts, (part) => part.message);
  const variants = await findVariants(read, thread, segments, rows);
  return {
    messages: rows.map((row) =>
      toMessageView(toHead(row, variants.get(row.id) ?? []), (partsByMessage.get(row.id) ?? []).map(toPart)),
    ),
    tokens: new Map(parts.map((part) => [`${part.message}/${part.n}`, part.tokens])),
  };
}

/** Returns the ids of all variants of each message that has any. */
async function findVariants(
  read: PathReads,
  thread: string,
  segments: readonly Segment[],
  rows: readonly RowOf<"messages">[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const first = rows[0];
  const last = rows.at(-1);
  if (!first || !last) return new Map();
  const parents = [
    ...new Set(segments.flatMap(({ branch, parent }) => (parent === null ? [branch] : [branch, parent]))),
  ];
  const siblings = await read.siblings(thread, { parents, from: first.depth - 1, to: last.depth - 1 });
  const groups = Map.groupBy(siblings, ({ parent, after }) => `${parent} ${after}`);
  const found = new Map<string, readonly string[]>();
  for (const group of groups.values()) {
    const ids = group.map(({ id }) => id);
    for (const id of ids) found.set(id, ids);
  }
  return found;
}

/** Fork point for a new variant of this message: the branch that contains the depth before it. */
export function toFork(message: RowOf<"messages">, branch: RowOf<"branches">): { parent: string; forkDepth: number } {
  const forkDepth = message.depth - 1;
  const parent = forkDepth > branch.fork_depth ? branch.id : (branch.parent ?? branch.id);
  return { parent, forkDepth };
}

/** Ids of all variants of a message, oldest first, without one that is about to be added. */
export async function listVariants(
  read: PathReads,
  thread: string,
  message: RowOf<"messages">,
  branch: RowOf<"branches">,
): Promise<readonly string[]> {
  const { parent, forkDepth } = toFork(message, branch);
  const siblings = await read.siblings(thread, { parents: [parent], from: forkDepth, to: forkDepth });
  return siblings.length ? siblings.map(({ id }) => id) : [message.id];
}

/** The most recently used branch whose path contains this message. */
export async function findLeaf(read: PathReads, message: RowOf<"messages">): Promise<RowOf<"branches"> | undefined> {
  const start = await read.branch(message.thread, message.branch);
  if (!start) return undefined;
  let best = start;
  const open = [{ branch: start, above: message.depth }];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.branch.used_at > best.used_at) best = next.branch;
    for (const fork of await read.forksOf(message.thread, next.branch.id)) {
      if (fork.fork_depth >= next.above) open.push({ branch: fork, above: 0 });
    }
  }
  return best;
}

/** Depth of the last message that two paths have in common. */
export async function sharedDepth(read: PathReads, thread: string, a: string, b: string): Promise<number> {
  const [left, right] = await Promise.all(
    [a, b].map((branch) => read.segments({ thread, branch, upTo: WHOLE }, WHOLE)),
  );
  const ends = new Map(left?.map((segment) => [segment.branch, segment.to]));
  return Math.max(0, ...(right ?? []).map(({ branch, to }) => Math.min(ends.get(branch) ?? 0, to)));
}
