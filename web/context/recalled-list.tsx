import type { PartOf } from "../../protocol/parts.ts";
import { Relevance } from "../sources/relevance.tsx";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toPath } from "../state/route.ts";
import { groupDigits } from "../lib/format.ts";
import { toDay } from "../lib/time.ts";
import { context } from "../strings/context.ts";
import { useLoad } from "../lib/use-load.ts";

const strings = context.recalled;

type RecalledPassage = NonNullable<PartOf<"context">["recalled"]>[number];
type Props = { readonly threadId: string; readonly recalled: readonly RecalledPassage[] };

/** Recalled passages with date, author and a link to their message. */
export const RecalledList = ({ threadId, recalled }: Props) => (
  <ul aria-label={strings.label} className="mt-1 mb-2 grid gap-1.5">
    {recalled.map((one) => (
      <Passage key={`${one.messageId} ${one.text}`} threadId={threadId} recalled={one} />
    ))}
  </ul>
);

const Passage = ({ threadId, recalled }: { readonly threadId: string; readonly recalled: RecalledPassage }) => {
  const { messageId, depth, role, score, text } = recalled;
  const createdAt = useCreatedAt(threadId, recalled);
  return (
    <li className="rounded-xl bg-sunk px-3.5 py-2.5 text-sm">
      <p className="flex flex-wrap items-center gap-x-2 text-xs text-soft">
        <span>{role === "user" ? strings.user : strings.assistant}</span>
        {createdAt !== null && <span>{toDay(createdAt)}</span>}
        <Relevance value={score} />
        <a
          href={toPath(threadId, messageId)}
          className="ms-auto rounded-md py-1 underline underline-offset-2 hover:text-ink"
        >
          {strings.show(groupDigits(depth))}
        </a>
      </p>
      <p dir="auto" className="mt-1 line-clamp-6 leading-relaxed wrap-anywhere whitespace-pre-wrap">
        {text}
      </p>
    </li>
  );
};

/** The date of a message: from the loaded messages, or requested. */
function useCreatedAt(threadId: string, { messageId, depth }: RecalledPassage): number | null {
  const { client, getFeed } = usePage();
  const loadedAt = useSelected(getFeed(threadId).state, (feed) =>
    feed.phase === "ready" ? feed.view.messages.find(({ id }) => id === messageId)?.createdAt : undefined,
  );
  const { state } = useLoad(loadedAt !== undefined ? null : `${threadId} ${depth}`, (signal) =>
    client.listMessages({ params: { threadId }, query: { before: depth + 1, limit: 1 } }, signal),
  );
  if (loadedAt !== undefined) return loadedAt;
  const found = state.phase === "ready" ? state.value.messages[0] : undefined;
  return found?.id === messageId ? found.createdAt : null;
}
