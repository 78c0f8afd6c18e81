import { X } from "lucide-react";
import type { ReactNode } from "react";
import type { SidePanelRoute } from "../state/panels.ts";
import { actions } from "../strings/actions.ts";
import { receipts as strings } from "../strings/receipts.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { Preview, toDraftKey } from "./preview.tsx";
import { Receipts } from "./receipts.tsx";

type Props = {
  readonly route: Extract<SidePanelRoute, { kind: "receipts" | "preview" }>;
  readonly onClose: () => void;
};

/** Receipts of an answer, or a preview. */
export const ReceiptsPanel = ({ route, onClose }: Props) => {
  const name = route.kind === "receipts" ? strings.title : strings.previewTitle;
  return (
    <SidePanel label={name} isFull onClose={onClose}>
      {(title) => (
        <div className="flex h-full min-h-0 flex-col bg-sunk">
          <header className="flex flex-none items-start gap-2 px-5 pt-[max(1rem,env(safe-area-inset-top))] pb-2">
            {title(name)}
            <IconButton label={actions.close} className="-me-2 -mt-1" onClick={onClose}>
              <X aria-hidden="true" className="size-4.5" />
            </IconButton>
          </header>
          <Scrolled label={name}>
            {route.kind === "receipts" ? (
              <Receipts key={route.threadId} route={route} />
            ) : (
              <Preview key={toDraftKey(route.draft)} route={route} />
            )}
          </Scrolled>
        </div>
      )}
    </SidePanel>
  );
};

const Scrolled = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div
    role="region"
    aria-label={strings.content(label)}
    tabIndex={0}
    className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 pt-2 pb-[max(1.5rem,env(safe-area-inset-bottom))] focus-visible:-outline-offset-2"
  >
    {children}
  </div>
);
