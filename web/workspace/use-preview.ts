import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { Client } from "../../protocol/client.ts";
import type { PreviewLog } from "../../protocol/workspace/workspace.ts";
import { toFailed, type FailedState } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";
import { isSignedOut } from "../state/session.ts";

export type PreviewState =
  | { readonly phase: "opening" }
  | FailedState
  /** `load` changes with each load, so that the frame is recreated. */
  | { readonly phase: "ready"; readonly url: string; readonly load: number };

type PreviewTarget = {
  readonly projectId: string;
  /** Seq of the newest file change; a new value reloads the preview. */
  readonly seq: number;
  /** Incremented when the user reloads. */
  readonly turn: number;
};

const quietMs = 250;
/** A URL that expires soon is not used for another load. */
const marginMs = 5 * 60_000;

/** The URL of a project's preview, and when to load it. Several changes in a row cause one load. */
export function usePreview({ projectId, seq, turn }: PreviewTarget): PreviewState {
  const { client, session } = usePage();
  const [state, setState] = useState<PreviewState>({ phase: "opening" });
  const opened = useRef<{ readonly projectId: string; readonly url: string; readonly expiresAt: number } | null>(null);
  const loads = useRef(0);

  const load = useEffectEvent(async (isWanted: () => boolean) => {
    try {
      const last = opened.current;
      const isGood = last?.projectId === projectId && last.expiresAt - Date.now() > marginMs;
      const { url, expiresAt } = isGood ? last : await client.openPreview({ params: { projectId }, body: {} });
      if (!isWanted()) return;
      opened.current = { projectId, url, expiresAt };
      setState({ phase: "ready", url, load: ++loads.current });
    } catch (error) {
      if (isSignedOut(error)) session.signOut();
      if (isWanted()) setState(toFailed(error));
    }
  });

  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(() => void load(() => isWanted), loads.current === 0 ? 0 : quietMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [projectId, seq, turn]);
  return state;
}

/** A message from the frame, validated: it is untrusted text. */
export type PreviewReport = { readonly seq: number; readonly loaded: boolean; readonly logs: readonly PreviewLog[] };

export function readPreviewReport(value: unknown, at: number): PreviewReport | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, seq, loaded, logs } = value as Record<string, unknown>;
  if (type !== "stonechat-preview" || !Number.isSafeInteger(seq) || Number(seq) < 0 || !Array.isArray(logs)) {
    return undefined;
  }
  const read = logs.slice(0, mostPerReport).flatMap((log: unknown) => readLog(log, at) ?? []);
  return { seq: Number(seq), loaded: loaded === true, logs: read };
}

const mostPerReport = 100;

function readLog(value: unknown, at: number): PreviewLog | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, level, text, place } = value as Record<string, unknown>;
  if ((kind !== "console" && kind !== "network") || typeof level !== "string" || typeof text !== "string")
    return undefined;
  const named = typeof place === "string" && place.length <= 400 ? place : null;
  return { kind, level: level.slice(0, 10), text: text.slice(0, 4000), place: named, at };
}

const gapMs = 400;
const mostPerLoad = 500;
/** Reports waiting to be sent. Beyond the limit the oldest are dropped. */
const mostWaiting = 10;

/** Sends reports of the frame in batches, one request at a time, up to the limit per load. Failed reports are dropped. */
export function createReports(client: Pick<Client, "reportLogs">, projectId: string) {
  let waiting: PreviewReport[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let count = 0;

  const send = async () => {
    const [report, ...rest] = waiting;
    waiting = rest;
    if (report) {
      const body = { ...report, logs: [...report.logs] };
      await client.reportLogs({ params: { projectId }, body }).catch(() => {});
    }
    timer = waiting.length > 0 ? setTimeout(() => void send(), gapMs) : undefined;
  };

  return {
    add: (report: PreviewReport) => {
      const logs = report.logs.slice(0, Math.max(0, mostPerLoad - count));
      count += logs.length;
      if (logs.length === 0 && !report.loaded) return;
      const last = waiting.at(-1);
      const canJoin = last?.seq === report.seq && last.logs.length + logs.length <= mostPerReport;
      if (last && canJoin) {
        waiting = waiting.with(-1, { ...last, loaded: last.loaded || report.loaded, logs: [...last.logs, ...logs] });
      } else waiting = [...waiting, { ...report, logs }].slice(-mostWaiting);
      timer ??= setTimeout(() => void send(), 0);
    },
    /** A reloaded page may report again. */
    begin: () => void (count = 0),
  };
}
