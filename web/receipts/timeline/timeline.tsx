import { ChevronLeft, ChevronRight, History } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { ReceiptLine } from "../../../protocol/context/context-api.ts";
import { toMoment } from "../../lib/time.ts";
import { groupDigits } from "../../lib/format.ts";
import { actions } from "../../strings/actions.ts";
import { receipts } from "../../strings/receipts.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { TimelineChart } from "./chart.tsx";
import { describeEvent, describeSize, describeTimeline } from "./describe-line.ts";
import { layoutTimeline } from "./timeline-layout.ts";
import { useReceipts } from "./use-receipts.ts";
import { useWidth } from "../../lib/use-width.ts";

const strings = receipts.chart;

type Props = {
  readonly threadId: string;
  /** The open receipt, if any. */
  readonly currentId: string | null;
  readonly onOpen: (line: ReceiptLine) => void;
};

type Selection = { readonly id: string | null; readonly by: "key" | "pointer" };

/** Growth of the thread's prompts: compactions, cache misses, and links to the receipts. */
export const Timeline = ({ threadId, currentId, onOpen }: Props) => {
  const { state, lines, hasMore, isLoading, failed, loadEarlier } = useReceipts(threadId);
  const box = useRef<HTMLDivElement>(null);
  const available = useWidth(box);
  const chart = useMemo(() => layoutTimeline(lines, available), [lines, available]);
  const [picked, setPicked] = useState<Selection>({ id: null, by: "key" });
  const toIndex = (id: string | null) => chart.columns.findIndex(({ line }) => line.id === id);
  const found = [toIndex(picked.id), toIndex(currentId)].find((index) => index >= 0);
  const at = found ?? chart.columns.length - 1;
  const active = chart.columns[at]?.line;
  const move = (index: number, by: Selection["by"] = "key") => {
    const id = chart.columns[index]?.line.id ?? null;
    if (id !== picked.id || by !== picked.by) setPicked({ id, by });
  };
  const open = (index: number) => {
    const line = chart.columns[index]?.line;
    if (!line) return;
    setPicked({ id: line.id, by: "pointer" });
    onOpen(line);
  };
  if (state.phase === "failed")
    return (
      <p role="alert" className="text-sm text-danger">
        {state.text}
      </p>
    );
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      <div ref={box} className="min-h-27 min-w-0">
        {lines.length > 0 && (
          <TimelineChart
            chart={chart}
            label={strings.label}
            at={at}
            currentId={currentId}
            isFollowed={picked.by === "key"}
            onMove={move}
            onOpen={open}
          />
        )}
        {state.phase === "ready" && lines.length === 0 && (
          <p className="py-6 text-center text-sm text-soft">{strings.empty}</p>
        )}
      </div>
      {lines.length > 0 && <p className="sr-only">{describeTimeline(lines, hasMore)}</p>}
      {active && (
        <Caption
          line={active}
          n={at + 1}
          of={chart.columns.length}
          isOpen={active.id === currentId}
          onStep={(by) => move(Math.max(0, Math.min(chart.columns.length - 1, at + by)))}
          onOpen={() => open(at)}
        />
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft">
        {legend.map(({ name, look }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className={look} />
            {name}
          </span>
        ))}
        {hasMore && (
          <button
            type="button"
            disabled={isLoading}
            className="plain-button ms-auto min-h-8 px-2.5 text-xs pointer-coarse:min-h-10"
            onClick={() => void loadEarlier()}
          >
            <History aria-hidden="true" className="size-3.5" />
            {isLoading ? actions.loading : strings.earlier}
          </button>
        )}
      </div>
      {failed !== null && (
        <p role="alert" className="text-xs text-danger">
          {failed}
        </p>
      )}
    </div>
  );
};

const legend = [
  { name: strings.legend.unchanged, look: "size-2.5 rounded-sm bg-(--slot-system)" },
  { name: strings.legend.added, look: "size-2.5 rounded-sm bg-(--slot-log)" },
  { name: strings.legend.compaction, look: "h-3 border-s border-dashed border-soft" },
  {
    name: strings.legend.cacheMiss,
    look: "border-x-4 border-b-[0.4rem] border-x-transparent border-b-danger",
  },
] as const;

type CaptionProps = {
  readonly line: ReceiptLine;
  readonly n: number;
  readonly of: number;
  readonly isOpen: boolean;
  readonly onStep: (by: number) => void;
  readonly onOpen: () => void;
};

const Caption = ({ line, n, of, isOpen, onStep, onOpen }: CaptionProps) => {
  const event = describeEvent(line);
  return (
    <div className="flex items-start gap-1 rounded-xl bg-raised py-1.5 ps-3.5 pe-1.5">
      <div className="min-h-13 min-w-0 flex-1 py-0.5 text-xs">
        <p className="text-soft">{strings.position(groupDigits(n), groupDigits(of), toMoment(line.createdAt))}</p>
        <p className="text-sm tabular-nums">{describeSize(line)}</p>
        {event !== null && <p className="text-pretty text-soft">{event}</p>}
      </div>
      <IconButton label={strings.previous} disabled={n === 1} onClick={() => onStep(-1)}>
        <ChevronLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" />
      </IconButton>
      <IconButton label={strings.next} disabled={n === of} onClick={() => onStep(1)}>
        <ChevronRight aria-hidden="true" className="size-4 rtl:-scale-x-100" />
      </IconButton>
      {!isOpen && (
        <button type="button" className="plain-button min-h-9 pointer-coarse:min-h-10" onClick={onOpen}>
          {strings.open}
        </button>
      )}
    </div>
  );
};
