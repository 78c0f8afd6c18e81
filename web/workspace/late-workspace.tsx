import type { ComponentProps } from "react";
import { WorkspaceCard } from "./workspace-card.tsx";
import { ThreadSwitch } from "./thread-switch.tsx";
import { ThreadWorkspace } from "./thread-workspace.tsx";

type Props =
  | { readonly beside: ComponentProps<typeof ThreadWorkspace> }
  | { readonly choice: ComponentProps<typeof ThreadSwitch> }
  | { readonly card: ComponentProps<typeof WorkspaceCard> };

/**
 * What threads show of their project's files, fetched together with its first use: apart, what its pieces share with the page
 * would be cut into as many files as there are pairs of them. The editor and its grammars are fetched when they are wanted.
 */
const LateWorkspace = (props: Props) => {
  if ("beside" in props) return <ThreadWorkspace {...props.beside} />;
  if ("choice" in props) return <ThreadSwitch {...props.choice} />;
  return <WorkspaceCard {...props.card} />;
};

export default LateWorkspace;
