import type { MouseEvent } from "react";
import type { SearchHit } from "../../protocol/search.ts";
import { toTab } from "../project/looks.ts";
import type { Page } from "../state/page.ts";
import { toFilePath, toPath, toProjectPath } from "../state/route.ts";

/** The address of what was hit. */
export function toHitPath({ target }: SearchHit): string {
  switch (target.at) {
    case "thread":
      return toPath(target.threadId);
    case "message":
    case "artifact":
      return toPath(target.threadId, target.messageId);
    case "entity":
      return toProjectPath(target.projectId, toTab(target.kind), target.entityId);
    case "file":
      return toFilePath(target.projectId, target.path);
  }
}

/** A kept text has no address of its own: it is opened beside the message that it was read for, at the words that were found. */
export function openHit(event: MouseEvent, hit: SearchHit, { go, beside }: Pick<Page, "go" | "beside">): void {
  const { target, snippet, marks } = hit;
  if (target.at !== "artifact" || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(toHitPath(hit));
  const { threadId, ref } = target;
  const [start] = marks[0] ?? [];
  const [, end] = marks.at(-1) ?? [];
  const quote = start === undefined ? "" : snippet.slice(start, end);
  const citation = quote === "" ? null : ({ ref, at: [0, 0], state: "supported", quote } as const);
  beside.set({ kind: "kept", threadId, ref, citation });
}
