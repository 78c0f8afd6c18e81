import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import type { PreviewLog } from "../../protocol/workspace/workspace.ts";
import { usePage } from "../state/page.ts";
import { createReports, readPreviewReport, usePreview } from "./use-preview.ts";

export type PreviewLine = PreviewLog & { readonly id: number; readonly seq: number };

type Props = {
  readonly projectId: string;
  /** Of the newest change of files: the page is loaded again when it is another. */
  readonly seq: number;
  /** Raise it to load the page again. */
  readonly turn?: number;
  /** What the page says, as it says it. */
  readonly onLines?: (lines: readonly PreviewLine[]) => void;
  /** A load begins: what was said before is of an earlier one. */
  readonly onBegin?: () => void;
  readonly className?: string;
};

let lastId = 0;

/**
 * The workspace, running. The frame has no rights of ours: its origin is none, it opens no windows and leads nowhere. Only
 * messages of this very frame are heard, and they are only text.
 */
export function PreviewFrame({ projectId, seq, turn = 0, onLines, onBegin, className }: Props) {
  const { client } = usePage();
  const state = usePreview({ projectId, seq, turn });
  const frame = useRef<HTMLIFrameElement>(null);
  const reports = useMemo(() => createReports(client, projectId), [client, projectId]);
  const load = state.phase === "ready" ? state.load : 0;

  const take = useEffectEvent((event: MessageEvent<unknown>) => {
    if (event.source === null || event.source !== frame.current?.contentWindow || event.origin !== "null") return;
    const told = readPreviewReport(event.data, Date.now());
    if (!told) return;
    reports.add(told);
    if (told.logs.length > 0) onLines?.(told.logs.map((log) => ({ ...log, id: ++lastId, seq: told.seq })));
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

  if (state.phase === "opening") return <p role="status">Opening the preview…</p>;
  if (state.phase === "failed") return <p role="alert">The preview cannot be opened: {state.text}</p>;
  return (
    <iframe
      key={state.load}
      ref={frame}
      src={state.url}
      title="Preview"
      sandbox="allow-scripts allow-forms allow-modals"
      referrerPolicy="no-referrer"
      className={className}
    />
  );
}
