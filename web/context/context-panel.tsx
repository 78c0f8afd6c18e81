import { X } from "lucide-react";
import type { ReactNode } from "react";
import type { ContextView, AgentState } from "../../protocol/context/context.ts";
import { actions } from "../strings/actions.ts";
import { context as strings } from "../strings/context.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { Timeline } from "../receipts/timeline/timeline.tsx";
import { usePage } from "../state/page.ts";
import { CompactionDetail } from "./compaction-detail.tsx";
import { CompactionList } from "./compaction-list.tsx";
import { PinList } from "./pin-list.tsx";
import type { SidePanelRoute } from "../state/panels.ts";
import { PolicyChoice } from "./policy-choice.tsx";
import { ContextSection } from "./section.tsx";
import { useContextView } from "../state/use-context-view.ts";
import { groupDigits } from "../lib/format.ts";
import { useSelected } from "../lib/signal.ts";
import { policyWords } from "../labels/context.ts";
import { toMoment } from "../lib/time.ts";

type Props = {
  readonly route: Extract<SidePanelRoute, { kind: "context" | "compaction" }>;
  readonly onClose: () => void;
};

/** A thread's prompt context: policy, pins and compactions. */
export const ContextPanel = ({ route, onClose }: Props) => {
  const name = route.kind === "context" ? strings.title : strings.compactionTitle;
  const { state, reload } = useContextView(route.threadId);
  return (
    <SidePanel label={name} isFull onClose={onClose}>
      {(title) => (
        <div className="flex h-full min-h-0 flex-col bg-sunk">
          <header className="flex flex-none items-start gap-2 px-5 pt-[max(1rem,env(safe-area-inset-top))] pb-3">
            {title(name)}
            <IconButton label={actions.close} className="-me-2 -mt-1" onClick={onClose}>
              <X aria-hidden="true" className="size-4.5" />
            </IconButton>
          </header>
          <div
            role="region"
            aria-label={strings.content(name)}
            tabIndex={0}
            className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] content-start gap-7 overflow-y-auto overscroll-contain px-5 pb-[max(1.5rem,env(safe-area-inset-bottom))] focus-visible:-outline-offset-2"
          >
            {state.phase === "loading" && (
              <p role="status" className="animate-late text-sm text-soft">
                {actions.loading}
              </p>
            )}
            {state.phase === "failed" && (
              <p role="alert" className="text-sm text-danger">
                {state.text}
              </p>
            )}
            {state.phase === "ready" && draw(route, state.value, reload)}
          </div>
        </div>
      )}
    </SidePanel>
  );
};

function draw(route: Props["route"], view: ContextView, reload: () => void): ReactNode {
  const { threadId } = route;
  if (route.kind === "compaction")
    return <CompactionDetail threadId={threadId} compactionId={route.compactionId} view={view} onChanged={reload} />;
  return (
    <>
      <Overview threadId={threadId} view={view} />
      <ContextSection title={strings.timeline.title} about={strings.timeline.about}>
        <ThreadTimeline threadId={threadId} />
      </ContextSection>
      <PolicyChoice threadId={threadId} policy={view.policy} onChanged={reload} />
      <PinList threadId={threadId} pins={view.pins} onChanged={reload} />
      <CompactionList threadId={threadId} compactions={view.epochs} />
      {view.state && <AgentStateView state={view.state} />}
    </>
  );
}

/** One sentence about what the model sees of the thread. */
const Overview = ({
  threadId,
  view: { policy, epochs },
}: {
  readonly threadId: string;
  readonly view: ContextView;
}) => {
  const depth = useSelected(usePage().getFeed(threadId).state, (state) =>
    state.phase === "ready" ? (state.view.messages.at(-1)?.depth ?? 0) : 0,
  );
  const compaction = epochs.find(({ undone }) => !undone);
  const text =
    policy !== "stone"
      ? strings.overview.policy(policyWords[policy].name, policyWords[policy].about)
      : compaction
        ? strings.overview.recent(Math.max(0, depth - compaction.depth))
        : strings.overview.whole;
  return <p className="text-sm text-pretty">{text}</p>;
};

const ThreadTimeline = ({ threadId }: { readonly threadId: string }) => {
  const { sidePanel } = usePage();
  return (
    <Timeline
      threadId={threadId}
      currentId={null}
      onOpen={({ id, call }) =>
        sidePanel.set({ kind: "receipts", threadId, runId: call?.runId ?? null, receiptId: id })
      }
    />
  );
};

/** The assistant's state of the current work. */
const AgentStateView = ({ state }: { readonly state: AgentState }) => (
  <ContextSection
    title={strings.workState.title}
    about={strings.workState.about(groupDigits(state.depth), toMoment(state.updatedAt))}
  >
    <div className="grid gap-2 rounded-xl bg-raised px-3.5 py-3 text-sm">
      {state.goal !== "" && (
        <div>
          <h4 className="text-xs text-soft">{strings.workState.goal}</h4>
          <p dir="auto">{state.goal}</p>
        </div>
      )}
      <Lines name={strings.workState.facts} lines={state.facts} />
      <Lines name={strings.workState.open} lines={state.pending} />
      <Lines
        name={strings.workState.results}
        lines={state.results.map(({ tool, said }) => strings.workState.result(tool, said))}
      />
    </div>
  </ContextSection>
);

const Lines = ({ name, lines }: { readonly name: string; readonly lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <div>
      <h4 className="text-xs text-soft">{name}</h4>
      <ul className="list-disc ps-5">
        {lines.map((line, index) => (
          <li key={index} dir="auto" className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
