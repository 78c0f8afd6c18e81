import type { ComponentProps } from "react";
import { RunChanges } from "./run-changes.tsx";
import { StartOptions } from "./thread/start-options.tsx";
import { EntitiesCard } from "./thread/entities-card.tsx";
import { ProjectChips } from "./thread/project-chips.tsx";
import { BuilderProject, ProjectChoice } from "./thread/project-choice.tsx";

type Props =
  | { readonly chips: ComponentProps<typeof ProjectChips> }
  | { readonly choice: ComponentProps<typeof ProjectChoice> }
  | { readonly builder: ComponentProps<typeof BuilderProject> }
  | { readonly start: ComponentProps<typeof StartOptions> }
  | { readonly changes: ComponentProps<typeof RunChanges> }
  | { readonly card: ComponentProps<typeof EntitiesCard> };

/** Project views of a thread, loaded together on first use. */
const LateProject = (props: Props) => {
  if ("chips" in props) return <ProjectChips {...props.chips} />;
  if ("choice" in props) return <ProjectChoice {...props.choice} />;
  if ("builder" in props) return <BuilderProject {...props.builder} />;
  if ("start" in props) return <StartOptions {...props.start} />;
  if ("changes" in props) return <RunChanges {...props.changes} />;
  return <EntitiesCard {...props.card} />;
};

export default LateProject;
