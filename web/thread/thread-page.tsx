import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { CompactionView } from "../../protocol/context/context.ts";
import type { QueuedInput } from "../../protocol/events.ts";
import { QUESTION } from "../../protocol/question.ts";
import { Composer, composerFieldId } from "../composer/composer.tsx";
import { ModelPicker } from "../composer/model-picker.tsx";
import { Queue } from "../composer/queue.tsx";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import type { ThreadFeed, ThreadState } from "../state/thread-feed.ts";
import { Conversation } from "./conversation.tsx";
import { OfflineHint } from "./offline-hint.tsx";
import { actions } from "../strings/actions.ts";
import { thread as strings } from "../strings/thread.ts";
import { ThreadHeader } from "./thread-header.tsx";
import { useRestoredFocus } from "../lib/use-restored-focus.ts";
import { Missing } from "../ui/missing.tsx";
import { NeedsProject } from "../workspace/needs-project.tsx";
import { WorkspacePanel } from "../workspace/workspace-panel.tsx";
import { isActive, textOf, type ThreadView } from "../../protocol/fold.ts";
import { titleOf } from "../labels/tools.ts";
import { GitBranch, X } from "lucide-react";
import { groupDigits } from "../lib/format.ts";
import { IconButton } from "../ui/icon-button.tsx";

export const ThreadPage = ({ threadId }: { readonly threadId: string }) => {
  const { getFeed, outbox } = usePage();
  const feed = useMemo(() => getFeed(threadId), [getFeed, threadId]);
  const state = useSignal(feed.state);
  // The first view is rendered in slices, so that the page stays responsive; later ones at once.
  const isOpen = useDeferredValue(state.phase === "ready");
  useEffect(() => {
    const isNew = outbox.items.get().some((item) => item.threadId === threadId && item.create !== null);
    feed.open({ created: !isNew });
    return () => feed.close();
  }, [feed, outbox, threadId]);

  if (state.phase === "gone" || state.phase === "failed")
    return <Missing what="thread" state={state} onRetry={() => feed.wake()} />;
  const thread = state.phase === "ready" ? state.view.thread : null;
  return (
    <WorkspacePanel
      projectId={thread?.projectId ?? null}
      profile={thread?.profile ?? ""}
      header={<ThreadHeader threadId={threadId} thread={thread} link={feed.link} />}
    >
      {state.phase === "ready" && isOpen ? <Ready threadId={threadId} feed={feed} state={state} /> : <Loading />}
    </WorkspacePanel>
  );
};

/** Shown only if loading takes noticeably long. */
const Loading = () => (
  <p role="status" className="grid flex-1 animate-late place-items-center text-sm text-soft">
    {actions.loading}
  </p>
);

const noEpochs: readonly CompactionView[] = [];

type ReadyProps = {
  readonly threadId: string;
  readonly feed: ThreadFeed;
  readonly state: Extract<ThreadState, { phase: "ready" }>;
};

const Ready = ({ threadId, feed, state: { view, history } }: ReadyProps) => {
  const { outbox, commands, session, sidePanel, drafts, getAttaching, getContext, continueFrom } = usePage();
  const attaching = getAttaching(threadId);
  const context = useSignal(getContext(threadId).state);
  const items = useSignal(outbox.items);
  const me = useSignal(session.state);
  const running = isActive(view.run);
  const unsent = useMemo(() => items.filter((item) => item.threadId === threadId), [items, threadId]);
  useEffect(() => outbox.settle(threadId, view), [outbox, threadId, view]);
  const isThere = view.thread !== null;
  const lastInputId = view.queue.at(-1)?.id ?? view.messages.findLast(({ role }) => role === "user")?.id;
  useEffect(() => {
    // Another tab may have sent these messages too.
    if (lastInputId !== undefined && attaching.items.get().length > 0) void attaching.load();
  }, [lastInputId, attaching]);
  useEffect(() => {
    if (isThere) void getContext(threadId).load();
  }, [getContext, threadId, isThere]);
  const profile = view.thread?.profile ?? "";
  const model = view.thread?.model ?? (me.phase === "signed-in" ? me.me.defaultModel : "");

  /** Puts text back into the field, before newer text. */
  const restore = (text: string) => {
    const draft = drafts.of(threadId);
    draft.write([text, draft.text.get()].filter((one) => one !== "").join("\n\n"));
    void attaching.load();
  };
  const send = async (text: string, mode: "queue" | "steer", attachments: readonly string[]) => {
    const from = continueFrom.get();
    if (from?.threadId !== threadId) return void outbox.send({ threadId, text, mode, attachments, create: null });
    continueFrom.set(null);
    if (await commands.edit(threadId, from.nextId, text, attachments)) return;
    restore(text);
    if (continueFrom.get() === null) continueFrom.set(from);
  };
  const steer = async ({ id, text, attachments = [] }: QueuedInput) => {
    if (await commands.withdraw(threadId, id))
      outbox.send({ threadId, text, mode: "steer", attachments, create: null });
  };
  const withdraw = async ({ id, kind, text }: QueuedInput) => {
    if ((await commands.withdraw(threadId, id)) && kind === "message") restore(text);
  };
  const scope = useRef<HTMLDivElement>(null);
  useRestoredFocus(scope, composerFieldId);
  return (
    <div ref={scope} className="contents">
      <Conversation
        threadId={threadId}
        feed={feed}
        view={view}
        history={history}
        unsent={running ? [] : unsent}
        epochs={context.phase === "ready" ? context.value.epochs : noEpochs}
      />
      <Announcer view={view} />
      <footer className="mx-auto w-full max-w-3xl px-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:px-5">
        <OfflineHint />
        <NeedsProject view={view} />
        <BranchNote threadId={threadId} />
        <Queue
          queue={view.queue}
          unsent={running ? unsent : []}
          onWithdraw={(input) => void withdraw(input)}
          onSteer={(input) => void steer(input)}
          onRetry={outbox.retry}
          onDiscard={outbox.discard}
        />
        <Composer
          owner={threadId}
          target={{ threadId: isThere ? threadId : null, projectId: view.thread?.projectId ?? null, model, profile }}
          running={running}
          onSend={(text, mode, attachments) => void send(text, mode, attachments)}
          onStop={() => void commands.stop(threadId)}
          {...(isThere ? { onPreview: (draft) => sidePanel.set({ kind: "preview", threadId, draft, model }) } : {})}
        >
          <ModelPicker
            value={{ model, profile, effort: view.thread?.effort ?? null }}
            onChange={(change) => void commands.changeThread(threadId, change)}
          />
        </Composer>
      </footer>
    </div>
  );
};

const spokenCharacters = 600;

/** Announces to screen readers that an answer has begun and, when it is complete, its text. */
const Announcer = ({ view }: { readonly view: ThreadView }) => {
  const [text, setText] = useState("");
  const { run } = view;
  // The last announced run: runs that ended before the page was opened are not announced.
  const announced = useRef(run?.state === "ended" ? run.id : null);
  useEffect(() => {
    if (!run || announced.current === run.id) return;
    if (run.state === "running") setText(strings.announce.answering);
    else if (run.state === "parked") setText(run.reason?.text ?? strings.announce.parked);
    else if (run.state === "ended") {
      announced.current = run.id;
      const message = view.messages.find(({ id }) => id === run.messageId);
      const answer = message ? textOf(message.parts) : "";
      setText(
        run.outcome === "done" ? answer.slice(0, spokenCharacters) : (run.reason?.text ?? strings.announce.endedEarly),
      );
    }
  }, [run, view.messages]);
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {text}
      </p>
      <p aria-live="assertive" className="sr-only">
        {toApprovals(view)}
      </p>
    </>
  );
};

/** A run that waits for the user is announced at once. */
function toApprovals({ run, messages }: ThreadView): string {
  if (!run || !isActive(run)) return "";
  const parts = messages.find(({ id }) => id === run.messageId)?.parts ?? [];
  const waiting = parts.filter((part) => part.kind === "tool").filter(({ state }) => state === "asking");
  const announce = ({ asks, ...part }: (typeof waiting)[number]) =>
    asks?.code === QUESTION
      ? strings.announce.question(titleOf(part))
      : strings.announce.approval(titleOf(part), asks?.text ?? "");
  return waiting.map(announce).join(" ");
}

/** Shown above the field while the next message continues from an earlier answer. */
const BranchNote = ({ threadId }: { readonly threadId: string }) => {
  const { continueFrom, goTo } = usePage();
  const place = useSignal(continueFrom);
  const isHere = place?.threadId === threadId;
  useEffect(() => {
    if (isHere) document.getElementById(composerFieldId)?.focus();
  }, [isHere, place]);
  useEffect(() => () => continueFrom.set(null), [continueFrom, threadId]);
  if (!isHere) return null;
  return (
    <div
      role="status"
      className="mb-2 flex animate-rise items-center gap-2 rounded-xl bg-accent-wash py-1 ps-3 pe-1 text-sm"
    >
      <GitBranch aria-hidden="true" className="size-4 flex-none" />
      <p className="min-w-0 flex-1">
        {strings.branch.text}{" "}
        <button
          type="button"
          className="font-medium underline underline-offset-2"
          onClick={() => goTo(threadId, place.messageId)}
        >
          {strings.branch.show(groupDigits(place.depth))}
        </button>
      </p>
      <IconButton label={strings.branch.cancel} className="size-8" onClick={() => continueFrom.set(null)}>
        <X aria-hidden="true" className="size-4" />
      </IconButton>
    </div>
  );
};
