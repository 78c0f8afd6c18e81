import type { ComponentProps, ReactNode } from "react";
import { ArtifactPanel } from "../artifacts/artifact-panel.tsx";
import { MemorySheet } from "../memory/memory-sheet.tsx";
import { ReceiptsPanel } from "../receipts/receipts-panel.tsx";
import { RequestedSummary } from "../summary/requested-summary.tsx";
import { SummarySheet } from "../summary/summary-sheet.tsx";
import { UsageSheet } from "../usage/usage-sheet.tsx";
import { CompactionDivider } from "./compaction-divider.tsx";
import { ContextPanel } from "./context-panel.tsx";
import { PinSheet } from "./pin-sheet.tsx";
import type { SidePanelRoute, LateSheetRoute } from "../state/panels.ts";
import { RecalledList } from "./recalled-list.tsx";

type Route = SidePanelRoute | LateSheetRoute;
type Props =
  | { readonly route: Route; readonly onClose: () => void }
  | { readonly marker: ComponentProps<typeof CompactionDivider> }
  | { readonly requestedSummary: ComponentProps<typeof RequestedSummary> }
  | { readonly recalled: ComponentProps<typeof RecalledList> };

/**
 * Rarely used panels and dialogs, loaded together on first use: separate chunks would split the modules they share into one
 * file per combination.
 */
const LateView = (props: Props) => {
  if ("marker" in props) return <CompactionDivider {...props.marker} />;
  if ("requestedSummary" in props) return <RequestedSummary {...props.requestedSummary} />;
  if ("recalled" in props) return <RecalledList {...props.recalled} />;
  return draw(props.route, props.onClose);
};

function draw(route: Route, onClose: () => void): ReactNode {
  switch (route.kind) {
    case "artifact":
      return <ArtifactPanel route={route} onClose={onClose} />;
    case "receipts":
    case "preview":
      return <ReceiptsPanel route={route} onClose={onClose} />;
    case "context":
    case "compaction":
      return <ContextPanel route={route} onClose={onClose} />;
    case "memory":
      return <MemorySheet onClose={onClose} />;
    case "usage":
      return <UsageSheet onClose={onClose} />;
    case "summary":
      return <SummarySheet threadId={route.threadId} onClose={onClose} />;
    case "pin":
      return <PinSheet route={route} onClose={onClose} />;
  }
}

export default LateView;
