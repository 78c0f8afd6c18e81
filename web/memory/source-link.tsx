import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toPath } from "../state/route.ts";
import { memory as strings } from "../strings/memory.ts";

type Props = { readonly threadId: string | null; readonly messageId: string | null };

/** The source of a value: a link to its message, or the user's own edit. */
export const SourceLink = ({ threadId, messageId }: Props) => {
  const { list, sheet } = usePage();
  const title = useSelected(list.state, ({ view }) => view.threads.find(({ id }) => id === threadId)?.title);
  if (threadId === null) return strings.source.user;
  return (
    <a
      href={toPath(threadId, messageId)}
      onClick={() => sheet.set(null)}
      className="underline underline-offset-2 hover:text-ink"
    >
      {title ? strings.source.titledThread(title) : strings.source.thread}
    </a>
  );
};
