import type { SidePanelRoute } from "../state/panels.ts";
import { policyWords, toPurpose } from "../labels/context.ts";
import { usePage } from "../state/page.ts";
import { toMoment } from "../lib/time.ts";
import { useLoad } from "../lib/use-load.ts";
import { actions } from "../strings/actions.ts";
import { receipts as strings } from "../strings/receipts.ts";
import { ReceiptView } from "./receipt-view.tsx";
import type { ModelCall, ReceiptDetails } from "./receipt-details.ts";
import { Timeline } from "./timeline/timeline.tsx";

type Props = { readonly route: Extract<SidePanelRoute, { kind: "receipts" }> };

const noCalls: readonly ModelCall[] = [];

/** The receipts of an answer's calls, with the thread's timeline. */
export const Receipts = ({ route }: Props) => {
  const { client, sidePanel } = usePage();
  const { threadId, runId } = route;
  const { state } = useLoad(runId, (signal) => client.getRun({ params: { threadId, runId: runId ?? "" } }, signal));
  const all = state.phase === "ready" ? state.value.calls.filter((call) => call.receiptId !== null) : noCalls;
  const receiptId = route.receiptId ?? all.at(-1)?.receiptId ?? null;
  const pick = (next: string) => sidePanel.set({ ...route, receiptId: next });
  const isLoading = receiptId === null && runId !== null && state.phase === "loading";
  return (
    <>
      <section aria-label={strings.timeline}>
        <Timeline
          threadId={threadId}
          currentId={receiptId}
          onOpen={({ id, call }) =>
            sidePanel.set({ kind: "receipts", threadId, runId: call?.runId ?? null, receiptId: id })
          }
        />
      </section>
      <div className="mt-5">
        {isLoading && <Note text={actions.loading} />}
        {receiptId === null && state.phase === "failed" && <Note text={state.text} isBad />}
        {receiptId === null && state.phase === "ready" && <Note text={strings.none} />}
        {receiptId !== null && (
          <>
            <Calls calls={all} receiptId={receiptId} onPick={pick} />
            <OneReceipt key={receiptId} threadId={threadId} receiptId={receiptId} onOpen={pick} />
          </>
        )}
      </div>
    </>
  );
};

type CallsProps = {
  readonly calls: readonly ModelCall[];
  readonly receiptId: string;
  readonly onPick: (receiptId: string) => void;
};

const Calls = ({ calls, receiptId, onPick }: CallsProps) => {
  const isOther = calls.length > 0 && !calls.some((call) => call.receiptId === receiptId);
  if (calls.length < 2 && !isOther) return null;
  return (
    <ul aria-label={strings.calls} className="-mx-1 mb-3 flex gap-1 overflow-x-auto p-1">
      {calls.map((call) => (
        <li key={call.id} className="flex-none">
          <button
            type="button"
            aria-current={call.receiptId === receiptId}
            className="rounded-lg bg-raised px-3 py-1.5 text-xs text-soft hover:text-ink aria-current:bg-accent-wash aria-current:font-medium aria-current:text-accent-strong pointer-coarse:py-2.5"
            onClick={() => call.receiptId && onPick(call.receiptId)}
          >
            {toCallName(call)}
          </button>
        </li>
      ))}
      {isOther && <li className="flex-none self-center px-2 text-xs text-soft">{strings.otherCall}</li>}
    </ul>
  );
};

const toCallName = ({ purpose, step, attempt }: ModelCall): string => {
  const name = purpose === "answer" ? strings.step(step) : toPurpose(purpose);
  return attempt > 1 ? strings.attempt(name, attempt) : name;
};

type OneProps = {
  readonly threadId: string;
  readonly receiptId: string;
  readonly onOpen: (receiptId: string) => void;
};

const OneReceipt = ({ threadId, receiptId, onOpen }: OneProps) => {
  const { client } = usePage();
  const params = { threadId, receiptId };
  const { state } = useLoad(receiptId, (signal) => client.getReceipt({ params }, signal));
  const { state: rebuilt } = useLoad(receiptId, (signal) => client.getRequest({ params }, signal));
  if (state.phase === "loading") return <Note text={actions.loading} />;
  if (state.phase === "failed") return <Note text={state.text} isBad />;
  const { receipt, call, previousId, cacheNote, createdAt } = state.value;
  if (receipt.v !== 2) return <Note text={strings.oldVersion} />;
  const request = rebuilt.phase === "ready" ? rebuilt.value : null;
  const verified = rebuilt.phase === "loading" ? null : rebuilt.phase === "ready" && rebuilt.value.verified;
  const details: ReceiptDetails = { receipt, call, previousId, cacheNote, request, verified, isPreview: false };
  return (
    <>
      <p className="mb-3 text-xs text-soft">
        {strings.summaryLine(
          receipt.model,
          policyWords[receipt.policy]?.name ?? receipt.policy,
          toMoment(createdAt),
          receipt.epoch.opened !== null,
        )}
      </p>
      <ReceiptView threadId={threadId} details={details} onOpen={onOpen} />
    </>
  );
};

export const Note = ({ text, isBad = false }: { readonly text: string; readonly isBad?: boolean }) => (
  <p
    role={isBad ? "alert" : "status"}
    className={`py-6 text-center text-sm text-pretty ${isBad ? "text-danger" : "animate-late text-soft"}`}
  >
    {text}
  </p>
);
