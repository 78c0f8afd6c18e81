import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import type { PreviewLog } from "../../protocol/workspace/workspace.ts";
import { usePage } from "../state/page.ts";
import { createReports, readPreviewReport, type PreviewState } from "./use-preview.ts";
import { workspace as strings } from "../strings/workspace/workspace.ts";

export type PreviewLine = PreviewLog & { readonly id: number; readonly seq: number };

type Props = {
  readonly projectId: string;
  readonly state: PreviewState;
  /** Called for each message of the page. */
  readonly onLines?: (lines: readonly PreviewLine[]) => void;
  /** Called when a load starts; earlier messages belong to a previous load. */
  readonly onBegin?: () => void;
  readonly className?: string;
};

let lastId = 0;

/**
 * The running workspace. The frame has an opaque origin, opens no windows and cannot navigate. Only messages from this frame
 * are accepted, as text.
 */
export function PreviewFrame({ projectId, state, onLines, onBegin, className }: Props) {
  const { client } = usePage();
  const frame = useRef<HTMLIFrameElement>(null);
  const reports = useMemo(() => createReports(client, projectId), [client, projectId]);
  const load = state.phase === "ready" ? state.load : 0;

  const take = useEffectEvent((event: MessageEvent<unknown>) => {
    if (event.source === null || event.source !== frame.current?.contentWindow || event.origin !== "null") return;
    const report = readPreviewReport(event.data, Date.now());
    if (!report) return;
    reports.add(report);
    if (report.logs.length > 0) onLines?.(report.logs.map((log) => ({ ...log, id: ++lastId, seq: report.seq })));
  });
  const begin = useEffectEvent(() => {
    reports.begin();
    onBegin?.();
  });

  useEffect(() => {
    const listen = (event: MessageEvent<unknown>) => take(event);
    addEventListener("message", listen);
    return () => removeEventListener("message", listen);
  }, []);
  useEffect(() => {
    if (load > 0) begin();
  }, [load]);

  if (state.phase === "opening") return <p role="status">{strings.preview.opening}</p>;
  if (state.phase === "failed") return <p role="alert">{strings.preview.failed(state.text)}</p>;
  return (
    <iframe
      key={state.load}
      ref={frame}
      src={state.url}
      title={strings.preview.title}
      sandbox="allow-scripts allow-forms allow-modals"
      referrerPolicy="no-referrer"
      className={className}
    />
  );
}
