import type { KeptPlace } from "../context/places.ts";
import { SidePanel } from "../frame/side-panel.tsx";
import { KeptCopy } from "./kept-copy.tsx";

type Props = { readonly place: KeptPlace; readonly onClose: () => void };

/** A kept text beside its thread. */
export const KeptPanel = ({ place, onClose }: Props) => (
  <SidePanel label="Kept copy" onClose={onClose}>
    {(title) => <KeptCopy place={place} title={title} onClose={onClose} />}
  </SidePanel>
);
