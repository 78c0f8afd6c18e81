import type { ArtifactRoute } from "../state/panels.ts";
import { SidePanel } from "../ui/side-panel.tsx";
import { ArtifactView } from "./artifact-view.tsx";

type Props = { readonly route: ArtifactRoute; readonly onClose: () => void };

/** An artifact next to its thread. */
export const ArtifactPanel = ({ route, onClose }: Props) => (
  <SidePanel label="Kept copy" onClose={onClose}>
    {(title) => <ArtifactView route={route} title={title} onClose={onClose} />}
  </SidePanel>
);
