import type { ArtifactRoute } from "../state/panels.ts";
import { SidePanel } from "../ui/side-panel.tsx";
import { ArtifactView } from "./artifact-view.tsx";

type Props = { readonly place: ArtifactRoute; readonly onClose: () => void };

/** A kept text beside its thread. */
export const ArtifactPanel = ({ place, onClose }: Props) => (
  <SidePanel label="Kept copy" onClose={onClose}>
    {(title) => <ArtifactView place={place} title={title} onClose={onClose} />}
  </SidePanel>
);
