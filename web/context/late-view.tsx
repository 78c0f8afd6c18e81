import type { ComponentProps, ReactNode } from "react";
import { ArtifactPanel } from "../artifacts/artifact-panel.tsx";
import { MemorySheet } from "../memory/memory-sheet.tsx";
import { ReceiptsPanel } from "../receipts/receipts-panel.tsx";
import { BegunSummary } from "../summary/begun-summary.tsx";
import { SummarySheet } from "../summary/summary-sheet.tsx";
import { UsageSheet } from "../usage/usage-sheet.tsx";
import { Marker } from "./compaction-divider.tsx";
import { ContextPanel } from "./context-panel.tsx";
import { PinSheet } from "./pin-sheet.tsx";
import type { Beside, LateSheet } from "../state/panels.ts";
import { RecalledList } from "./recalled-list.tsx";

type Place = Beside | LateSheet;
type Props =
  | { readonly place: Place; readonly onClose: () => void }
  | { readonly marker: ComponentProps<typeof Marker> }
  | { readonly begun: ComponentProps<typeof BegunSummary> }
  | { readonly recalled: ComponentProps<typeof RecalledList> };

/**
 * Everything that is looked at now and then: kept texts, and what stands behind the prompts. It is fetched whole with its first use: apart, what its
 * pieces share with the page would be cut into as many files as there are pairs of them.
 */
const LateView = (props: Props) => {
  if ("marker" in props) return <Marker {...props.marker} />;
  if ("begun" in props) return <BegunSummary {...props.begun} />;
  if ("recalled" in props) return <RecalledList {...props.recalled} />;
  return draw(props.place, props.onClose);
};

function draw(place: Place, onClose: () => void): ReactNode {
  switch (place.kind) {
    case "kept":
      return <ArtifactPanel place={place} onClose={onClose} />;
    case "seen":
    case "preview":
      return <ReceiptsPanel place={place} onClose={onClose} />;
    case "context":
    case "epoch":
      return <ContextPanel place={place} onClose={onClose} />;
    case "memory":
      return <MemorySheet onClose={onClose} />;
    case "usage":
      return <UsageSheet onClose={onClose} />;
    case "summary":
      return <SummarySheet threadId={place.threadId} onClose={onClose} />;
    case "pin":
      return <PinSheet place={place} onClose={onClose} />;
  }
}

export default LateView;
