import { Ban, Check, CircleHelp, Hand, LoaderCircle, TriangleAlert, type LucideIcon } from "lucide-react";
import { useEffect, useState } from "react";
import type { ToolState } from "../../protocol/parts.ts";
import { describeElapsed } from "../lib/format.ts";
import { isFinished } from "./group-calls.ts";
import { LEAST_MS } from "./summarize.ts";
import type { ToolPart } from "../labels/tools.ts";
import { toolCards as strings } from "../strings/tool-cards.ts";

/** State and duration of a call; success is only a tick. */
export const ToolStateMark = ({ part }: { readonly part: ToolPart }) => {
  const { Icon, tone } = looks[part.state];
  return (
    <span className="ms-auto flex flex-none items-center gap-1.5 ps-2 text-xs text-soft">
      <Elapsed part={part} />
      <span className={`inline-flex items-center gap-1 ${tone}`}>
        <Icon aria-hidden="true" className={`size-3.5 ${Icon === LoaderCircle ? "animate-spin" : ""}`} />
        <span className={part.state === "ok" ? "sr-only" : ""}>{strings.states[part.state]}</span>
      </span>
    </span>
  );
};

const Elapsed = ({ part: { startedAt, endedAt, state } }: { readonly part: ToolPart }) => {
  const isRunning = state === "running" && startedAt !== undefined;
  const now = useSeconds(isRunning);
  if (startedAt === undefined) return null;
  // Whole seconds while running, to avoid flicker.
  if (isRunning) {
    const seconds = Math.floor(Math.max(0, now - startedAt) / 1000);
    return seconds < 1 ? null : <span className="tabular-nums">{describeElapsed(seconds * 1000, 0)}</span>;
  }
  return endedAt !== undefined && endedAt - startedAt >= LEAST_MS && isFinished(state) ? (
    <span className="tabular-nums">{describeElapsed(endedAt - startedAt)}</span>
  ) : null;
};

function useSeconds(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}

type Look = { readonly Icon: LucideIcon; readonly tone: string };

const looks: Readonly<Record<ToolState, Look>> = {
  "input-streaming": { Icon: LoaderCircle, tone: "text-soft" },
  ready: { Icon: LoaderCircle, tone: "text-soft" },
  asking: { Icon: Hand, tone: "text-accent" },
  running: { Icon: LoaderCircle, tone: "text-accent" },
  ok: { Icon: Check, tone: "text-good" },
  error: { Icon: TriangleAlert, tone: "text-danger" },
  denied: { Icon: Ban, tone: "text-danger" },
  cancelled: { Icon: Ban, tone: "text-soft" },
  unknown: { Icon: CircleHelp, tone: "text-danger" },
};
