import { Suspense, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { CompactionView } from "../../protocol/context/context.ts";
import type { QueuedInput } from "../../protocol/events.ts";
import type { RunView } from "../../protocol/run.ts";
import { findQuestion, QUESTION, toTypedAnswer, type Question } from "../../protocol/question.ts";
import { Composer, composerFieldId } from "../composer/composer.tsx";
import { ModelPicker } from "../composer/model-picker.tsx";
import { Queue } from "../composer/queue.tsx";
import { toPlainMarkdown } from "../lib/plain-markdown.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import type { ThreadFeed, ThreadState } from "../state/thread-feed.ts";
import { OfflineHint } from "./offline-hint.tsx";
import { actions } from "../strings/actions.ts";
import { members } from "../strings/project/members.ts";
import { thread as strings } from "../strings/thread.ts";
import { PresentUsers } from "./present-users.tsx";
import { ThreadHeader } from "./thread-header.tsx";
import { useRestoredFocus } from "../lib/use-restored-focus.ts";
import { Missing } from "../ui/missing.tsx";
import { NeedsProject } from "../workspace/needs-project.tsx";
import { WorkspacePanel } from "../workspace/workspace-panel.tsx";
import { isActive, textOf, type ThreadView } from "../../protocol/fold.ts";
import { toPageText } from "../labels/notices.ts";
import { titleOf, toQuestionFormId } from "../labels/tools.ts";
import { GitBranch, X } from "lucide-react";
import { preloadedChunk } from "../lib/lazy-chunk.ts";
import { groupDigits } from "../lib/format.ts";
import { IconButton } from "../ui/icon-button.tsx";

const [Conversation, load] = preloadedChunk(() => import("./conversation.tsx"));

/** Messages and their parts are a separate chunk: a new thread is started without them. */
export const loadConversation = load;

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

const noCompactions: readonly CompactionView[] = [];

type ReadyProps = {
  readonly threadId: string;
  readonly feed: ThreadFeed;
  readonly state: Extract<ThreadState, { phase: "ready" }>;
};

const Ready = ({ threadId, feed, state: { view, history } }: ReadyProps) => {
  const { outbox, commands, session, sidePanel, getAttaching, getContext } = usePage();
  const attaching = getAttaching(threadId);
  const context = useSignal(getContext(threadId).state);
  const items = useSignal(outbox.items);
  const me = useSignal(session.state);
  const running = isActive(view.run);
  const unsent = useMemo(() => items.filter((item) => item.threadId === threadId), [items, threadId]);
  useEffect(() => outbox.settle(threadId, view), [outbox, threadId, view]);
  const hasThread = view.thread !== null;
  const lastInputId = view.queue.at(-1)?.id ?? view.messages.findLast(({ role }) => role === "user")?.id;
  useEffect(() => {
    // Another tab may have sent these messages too.
    if (lastInputId !== undefined && attaching.items.get().length > 0) void attaching.load();
  }, [lastInputId, attaching]);
  useEffect(() => {
    if (hasThread) void getContext(threadId).load();
  }, [getContext, threadId, hasThread]);
  // The options of a thread whose first message is still in the outbox.
  const chosen = view.thread ?? unsent.find(({ create }) => create)?.create;
  const profile = chosen?.profile ?? "";
  const model = chosen?.model ?? (me.phase === "signed-in" ? me.me.defaultModel : "");

  const { question, send, steer, withdraw } = useMessages(threadId, view);
  const scope = useRef<HTMLDivElement>(null);
  useRestoredFocus(scope, composerFieldId);
  return (
    <div ref={scope} className="contents">
      <Suspense fallback={<div className="min-h-0 flex-1" />}>
        <Conversation
          threadId={threadId}
          feed={feed}
          view={view}
          history={history}
          unsent={running ? [] : unsent}
          compactions={context.phase === "ready" ? context.value.epochs : noCompactions}
        />
      </Suspense>
      <Announcer view={view} />
      <footer className="mx-auto w-full max-w-3xl px-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:px-5">
        <OfflineHint />
        <NeedsProject view={view} />
        <BranchNote threadId={threadId} />
        <Queue
          queue={view.queue}
          unsent={running ? unsent : []}
          hasOpenCalls={hasOpenCalls(view)}
          onWithdraw={(input) => void withdraw(input)}
          onSteer={(input) => void steer(input)}
          onRetry={outbox.retry}
          onDiscard={outbox.discard}
        />
        {view.thread?.shared === true && <PresentUsers threadId={threadId} feed={feed} />}
        {view.thread?.role === "viewer" ? (
          <p role="note" className="rounded-2xl bg-sunk px-4 py-3 text-center text-sm text-soft">
            {members.readOnly}
          </p>
        ) : (
          <Composer
            owner={threadId}
            target={{
              threadId: hasThread ? threadId : null,
              projectId: view.thread?.projectId ?? null,
              model,
              profile,
            }}
            running={running}
            question={question && (question.asked.fields.length === 1 ? "single" : "form")}
            onSend={(text, mode, attachments) => void send(text, mode, attachments)}
            onStop={() => void commands.stop(threadId)}
            {...(hasThread ? { onPreview: (draft) => sidePanel.set({ kind: "preview", threadId, draft, model }) } : {})}
          >
            <ModelPicker
              value={{ model, profile, effort: chosen?.effort ?? null }}
              onChange={(change) => void commands.changeThread(threadId, change)}
            />
          </Composer>
        )}
      </footer>
    </div>
  );
};

/** Sends messages and changes queued ones. `question`: what the model waits for. */
function useMessages(threadId: string, view: ThreadView) {
  const { outbox, commands, drafts, getAttaching, continueFrom } = usePage();
  const attaching = getAttaching(threadId);

  /** Puts text back into the field, before newer text. */
  const restore = (text: string) => {
    const draft = drafts.of(threadId);
    draft.write([text, draft.text.get()].filter((one) => one !== "").join("\n\n"));
    void attaching.load();
  };
  const question = findOpenQuestion(view);
  /** Typed text answers a single question of the model. Otherwise the focus goes to the question. */
  const answer = async ({ id, asked }: OpenQuestion, text: string): Promise<boolean> => {
    const answers = toTypedAnswer(asked, text);
    if (answers) return commands.answer(threadId, id, answers);
    document.getElementById(toQuestionFormId(id))?.querySelector<HTMLElement>("input, textarea")?.focus();
    return false;
  };
  const send = async (text: string, mode: "queue" | "steer", attachments: readonly string[]) => {
    if (question && (attachments.length > 0 || !(await answer(question, text)))) return restore(text);
    if (question) return;
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
  return { question, send, steer, withdraw };
}

type OpenQuestion = { readonly id: string; readonly asked: Question };

/** A question of the model that waits for the user. Questions of MCP servers are answered in their form only. */
function findOpenQuestion({ run, messages }: ThreadView): OpenQuestion | undefined {
  const parts = isActive(run) ? (messages.find(({ id }) => id === run?.messageId)?.parts ?? []) : [];
  for (const part of parts) {
    if (part.kind !== "tool" || part.state !== "asking" || part.client || part.asks?.round !== undefined) continue;
    const asked = part.asks?.code === QUESTION ? findQuestion(part) : undefined;
    if (asked) return { id: part.id, asked };
  }
  return undefined;
}

const hasOpenCalls = ({ messages }: ThreadView): boolean =>
  (messages.at(-1)?.parts ?? []).some(
    (part) => part.kind === "tool" && (part.state === "ready" || part.state === "asking" || part.state === "running"),
  );

const spokenCharacters = 600;

const toEndKey = ({ id, endedAt }: RunView): string => `${id} ${endedAt}`;

/** Announces to screen readers that an answer has begun and, when it is complete, its text. */
const Announcer = ({ view }: { readonly view: ThreadView }) => {
  const [text, setText] = useState("");
  const { run } = view;
  // The last announced end: those before the page was opened are not announced. A continued run ends again.
  const announced = useRef(run?.state === "ended" ? toEndKey(run) : null);
  useEffect(() => {
    if (!run || announced.current === toEndKey(run)) return;
    if (run.state === "running") setText(strings.announce.answering);
    else if (run.state === "parked") setText(run.reason ? toPageText(run.reason) : strings.announce.parked);
    else if (run.state === "ended") {
      announced.current = toEndKey(run);
      const message = view.messages.find(({ id }) => id === run.messageId);
      const answer = message ? textOf(message.parts) : "";
      setText(
        run.outcome === "done"
          ? toPlainMarkdown(answer.slice(0, 2 * spokenCharacters)).slice(0, spokenCharacters)
          : run.reason
            ? toPageText(run.reason)
            : strings.announce.endedEarly,
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
  const calls = parts.filter((part) => part.kind === "tool");
  const waiting = calls.filter(({ state, client }) => state === "asking" && !client);
  const announce = ({ asks, ...part }: (typeof waiting)[number]) =>
    asks?.code === QUESTION
      ? strings.announce.question(titleOf(part))
      : strings.announce
          .approval(titleOf(part), asks ? toPageText(asks) : "")
          // Titles of approvals are questions.
          .replace(/([?？؟])[.。]/u, "$1");
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
