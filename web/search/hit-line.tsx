import { FileCode2, Globe, MessageSquare, MessageSquareText, Paperclip, type LucideIcon } from "lucide-react";
import { memo, type MouseEvent } from "react";
import type { SearchHit } from "../../protocol/search.ts";
import { toRelativeTime } from "../lib/time.ts";
import { nameKind, toPicture, toTab } from "../labels/entities.ts";
import { capital } from "../lib/format.ts";
import { usePage, type Page } from "../state/page.ts";
import { toHitKey } from "./group-hits.ts";
import { Marked } from "../ui/marked.tsx";
import { toFilePath, toPath, toProjectPath } from "../state/route.ts";
import { search as strings } from "../strings/search.ts";

type Props = {
  readonly hit: SearchHit;
  readonly now: number;
  /** Shown under a heading with the thread's title. */
  readonly isUnderThread?: boolean;
};

/** One search hit: kind, snippet, date and link. */
export const HitLine = memo(({ hit, now, isUnderThread = false }: Props) => {
  const page = usePage();
  const { Icon, label } = describe(hit);
  const hasTitle = hit.kind !== "said" || !isUnderThread;
  return (
    <a
      href={toHitPath(hit)}
      data-row={toHitKey(hit)}
      onClick={(event) => openHit(event, hit, page)}
      className="flex gap-2.5 rounded-xl px-3 py-2 transition-colors hover:bg-hover focus-visible:bg-hover focus-visible:-outline-offset-2"
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 flex-none text-soft" />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          {hasTitle ? (
            <span dir="auto" className="min-w-0 flex-1 truncate text-sm font-medium">
              {hit.title || strings.newThread}
            </span>
          ) : (
            <span className="min-w-0 flex-1 truncate text-xs text-soft">{label}</span>
          )}
          <span className="flex-none text-xs text-soft">
            {hasTitle && <span className="sr-only">{label}, </span>}
            {toRelativeTime(hit.at, now)}
          </span>
        </span>
        <span
          dir="auto"
          className={`mt-0.5 line-clamp-3 wrap-anywhere ${isUnderThread ? "text-sm" : "text-[0.8rem] text-soft"}`}
        >
          <Marked text={hit.snippet} marks={hit.marks} />
        </span>
      </span>
    </a>
  );
});

function describe({ target }: SearchHit): { readonly Icon: LucideIcon; readonly label: string } {
  switch (target.at) {
    case "thread":
      return { Icon: MessageSquareText, label: strings.hits.title };
    case "message":
      return { Icon: MessageSquare, label: strings.hits.message };
    case "artifact":
      return target.attached
        ? { Icon: Paperclip, label: strings.hits.attachment }
        : { Icon: Globe, label: strings.hits.page };
    case "file":
      return { Icon: FileCode2, label: strings.hits.file };
    case "entity":
      return { Icon: toPicture(target.kind), label: capital(nameKind(target.kind)) };
  }
}

/** The URL of a hit. */
function toHitPath({ target }: SearchHit): string {
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

/** An artifact has no URL: it is opened next to its message, at the hit. */
function openHit(event: MouseEvent, hit: SearchHit, { go, sidePanel }: Pick<Page, "go" | "sidePanel">): void {
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
  sidePanel.set({ kind: "artifact", threadId, ref, citation });
}
