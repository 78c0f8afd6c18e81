import { ExternalLink, Maximize, Monitor, PanelBottom, RotateCw, Smartphone, Tablet } from "lucide-react";
import { useRef, useState } from "react";
import { useSignal } from "../lib/signal.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { Segmented, type SegmentOption } from "../ui/segmented.tsx";
import { usePage } from "../state/page.ts";
import { usePreview } from "./use-preview.ts";
import { PreviewFrame, type PreviewLine } from "./preview-frame.tsx";
import type { WorkspaceStore } from "./state/workspace-store.ts";
import { LogPanel } from "./log-panel.tsx";
import { workspace as strings } from "../strings/workspace/workspace.ts";

type Breadth = "phone" | "tablet" | "all";

const breadths: readonly SegmentOption<Breadth>[] = [
  { value: "phone", label: strings.preview.widths.phone, Icon: Smartphone },
  { value: "tablet", label: strings.preview.widths.tablet, Icon: Tablet },
  { value: "all", label: strings.preview.widths.all, Icon: Monitor },
];
const widths: Readonly<Record<Breadth, string>> = { phone: "390px", tablet: "820px", all: "100%" };
const logKey = "workspace.log";
/** The limit of messages per load. */
const mostLines = 500;

type Props = {
  readonly store: WorkspaceStore;
  readonly isNarrow: boolean;
  /** While the user drags the edge, the frame must not receive pointer events. */
  readonly isDragging: boolean;
  readonly onAsk: (text: string) => void;
  readonly onShow: (path: string, line: number) => void;
};

/** The running page, with its console and network log. */
export const PreviewPane = ({ store, isNarrow, isDragging, onAsk, onShow }: Props) => {
  const { storage } = usePage();
  const files = useSignal(store.feed.state);
  const [turn, setTurn] = useState(0);
  const [breadth, setBreadth] = useState<Breadth>("all");
  const [lines, setLines] = useState<readonly PreviewLine[]>([]);
  const [hasLog, setLog] = useState(() => storage.get(logKey) !== null);
  const box = useRef<HTMLDivElement>(null);
  const errors = lines.filter(({ level }) => level === "error").length;
  const state = usePreview({ projectId: store.projectId, seq: files.phase === "ready" ? files.changed : 0, turn });
  if (files.phase !== "ready") return null;
  const toggleLog = () => {
    storage.set(logKey, hasLog ? null : "open");
    setLog(!hasLog);
  };
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-none items-center gap-1 px-3 pb-2">
        <IconButton label={strings.preview.reload} className="-ms-1" onClick={() => setTurn(turn + 1)}>
          <RotateCw aria-hidden="true" className="size-4" />
        </IconButton>
        {!isNarrow && (
          <Segmented label={strings.preview.width} options={breadths} value={breadth} isBrief onChange={setBreadth} />
        )}
        <span role="status" className="ms-auto text-xs text-danger">
          {errors > 0 && strings.preview.errors(errors)}
        </span>
        {state.phase === "ready" && (
          <a
            href={state.url}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={strings.preview.openTab}
            title={strings.preview.openTab}
            className="icon-button"
          >
            <ExternalLink aria-hidden="true" className="size-4.5" />
          </a>
        )}
        {document.fullscreenEnabled && (
          <IconButton
            label={strings.preview.fullScreen}
            onClick={() => void box.current?.requestFullscreen().catch(() => undefined)}
          >
            <Maximize aria-hidden="true" className="size-4.5" />
          </IconButton>
        )}
        <IconButton
          label={strings.preview.logs}
          aria-pressed={hasLog}
          className="aria-pressed:bg-hover aria-pressed:text-ink"
          onClick={toggleLog}
        >
          <PanelBottom aria-hidden="true" className="size-4.5" />
        </IconButton>
      </div>
      <div className="flex min-h-0 flex-1 justify-center overflow-auto px-3 pb-3">
        <div
          ref={box}
          className={`h-full overflow-hidden rounded-xl bg-white shadow-float ${isDragging ? "pointer-events-none" : ""}`}
          style={{ width: isNarrow ? "100%" : widths[breadth], flex: breadth === "all" || isNarrow ? "1 1 0" : "none" }}
        >
          <PreviewFrame
            projectId={store.projectId}
            state={state}
            onBegin={() => setLines([])}
            onLines={(more) => setLines((now) => [...now, ...more].slice(-mostLines))}
            className="size-full"
          />
        </div>
      </div>
      {hasLog && (
        <div className="h-2/5 max-h-72 flex-none bg-ground">
          <LogPanel lines={lines} onClear={() => setLines([])} onAsk={onAsk} onShow={onShow} />
        </div>
      )}
    </div>
  );
};
