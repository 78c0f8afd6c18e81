import type { KeptPlace } from "../context/places.ts";
import { SidePanel } from "../ui/side-panel.tsx";
import { KeptCopy } from "./artifact-view.tsx";

type Props = { readonly place: KeptPlace; readonly onClose: () => void };

/** A kept text beside its thread. */
export const KeptPanel = ({ place, onClose }: Props) => (
  <SidePanel label="Kept copy" onClose={onClose}>
    {(title) => <KeptCopy place={place} title={title} onClose={onClose} />}
  </SidePanel>
);
