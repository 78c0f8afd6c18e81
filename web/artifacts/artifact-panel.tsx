import type { ArtifactRoute } from "../state/panels.ts";
import { SidePanel } from "../ui/side-panel.tsx";
import { ArtifactView } from "./artifact-view.tsx";
import { artifacts as strings } from "../strings/artifacts.ts";

type Props = { readonly route: ArtifactRoute; readonly onClose: () => void };

/** An artifact next to its thread. */
export const ArtifactPanel = ({ route, onClose }: Props) => (
  <SidePanel label={strings.title} onClose={onClose}>
    {(title) => <ArtifactView route={route} title={title} onClose={onClose} />}
  </SidePanel>
);
