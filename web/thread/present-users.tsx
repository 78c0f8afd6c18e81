import { useEffect } from "react";
import { useSelected, useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { reportPresence } from "../state/report-presence.ts";
import type { ThreadFeed } from "../state/thread-feed.ts";
import { members } from "../strings/project/members.ts";

const strings = members.present;

/** In a shared thread: who else has it open and who is typing. The line has its place even while it is empty. */
export const PresentUsers = ({ threadId, feed }: { readonly threadId: string; readonly feed: ThreadFeed }) => {
  const { client, session, drafts } = usePage();
  const me = useSelected(session.state, (now) => (now.phase === "signed-in" ? now.me.userId : ""));
  const { people } = useSignal(feed.present);
  useEffect(
    () => reportPresence({ threadId, client, text: drafts.of(threadId).text, onPresent: feed.present.set }),
    [threadId, client, drafts, feed],
  );
  const others = people.filter(({ id }) => id !== me);
  const typing = others.filter((one) => one.typing).map(({ name }) => name);
  const here = others.filter((one) => !one.typing).map(({ name }) => name);
  const texts = [
    ...(typing.length > 0 ? [strings.typing(typing.join(", "), typing.length)] : []),
    ...(here.length > 0 ? [strings.here(here.join(", "))] : []),
  ];
  return (
    <p role="note" aria-label={strings.label} dir="auto" className="min-h-5 truncate px-2.5 pb-1 text-xs text-soft">
      {texts.join(" · ")}
    </p>
  );
};
