import type { SearchHit } from "../../protocol/search.ts";

/** Groups hits by thread or project, ordered by their newest hit. */
export type HitGroup = {
  readonly key: string;
  readonly parent:
    | { readonly in: "thread"; readonly thread: NonNullable<SearchHit["thread"]> }
    | { readonly in: "project"; readonly projectId: string };
  readonly hits: readonly SearchHit[];
};

export function groupHits(hits: readonly SearchHit[]): readonly HitGroup[] {
  const groups = new Map<string, HitGroup & { readonly hits: SearchHit[] }>();
  for (const hit of hits) {
    const parent = toParent(hit);
    if (!parent) continue;
    const key = parent.in === "thread" ? `thread ${parent.thread.id}` : `project ${parent.projectId}`;
    const group = groups.get(key) ?? { key, parent, hits: [] };
    groups.set(key, group);
    group.hits.push(hit);
  }
  return [...groups.values()];
}

function toParent({ target, thread }: SearchHit): HitGroup["parent"] | null {
  if (target.at === "entity" || target.at === "file") return { in: "project", projectId: target.projectId };
  return thread && { in: "thread", thread };
}

/** Unique key of a hit: a thread may match by title and by many messages. */
export function toHitKey({ target }: SearchHit): string {
  switch (target.at) {
    case "thread":
      return target.threadId;
    case "message":
      return `${target.threadId} ${target.messageId}`;
    case "artifact":
      return `${target.threadId} @${target.ref}`;
    case "entity":
      return `${target.projectId} ${target.entityId}`;
    case "file":
      return `${target.projectId} /${target.path}`;
  }
}
