import { useState } from "react";
import type { OwnedProject } from "../../../protocol/account/person.ts";
import { usePage } from "../../state/page.ts";
import { personSettings } from "../../strings/settings/person.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { Quiet } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";

const strings = personSettings.projects;

type Props = {
  readonly userId: string;
  readonly projects: readonly OwnedProject[];
  readonly onTransferred: () => void;
};

/** Projects with members that an account owns, without their names. Each can be given to one of its members. */
export const OwnedProjects = ({ userId, projects, onTransferred }: Props) => {
  const { client } = usePage();
  const [heirs, setHeirs] = useState<Heirs>({});
  return (
    <>
      <Quiet>{strings.about}</Quiet>
      <ul aria-label={strings.title} className="grid gap-2">
        {projects.map((project) => (
          <li key={project.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <span className="min-w-0 flex-1 basis-48 wrap-anywhere">{strings.with(toNames(project))}</span>
            <ChooseHeir
              project={project}
              label={`${strings.owner}: ${strings.with(toNames(project))}`}
              heir={heirs[project.id]}
              onChoose={(heir) => setHeirs({ ...heirs, [project.id]: heir })}
            />
            <ActButton
              disabled={!heirs[project.id]}
              label={`${strings.transfer}: ${strings.with(toNames(project))}`}
              act={() => {
                const body = { projectId: project.id, to: heirs[project.id] ?? "" };
                return client.transferPersonProject({ params: { userId }, body });
              }}
              onDone={onTransferred}
            >
              {strings.transfer}
            </ActButton>
          </li>
        ))}
      </ul>
    </>
  );
};

/** New owners by project. */
export type Heirs = Readonly<Record<string, string>>;

export const toNames = ({ members }: OwnedProject): string => members.map(({ name }) => name).join(", ");

type ChooseProps = {
  readonly project: OwnedProject;
  readonly label: string;
  readonly heir: string | undefined;
  readonly onChoose: (userId: string) => void;
};

/** One of the active members. */
export const ChooseHeir = ({ project, label, heir = "", onChoose }: ChooseProps) => {
  const active = project.members.filter(({ suspended }) => !suspended);
  if (active.length === 0) return <span className="text-xs text-soft">{strings.noHeir}</span>;
  return (
    <Select
      label={label}
      value={heir}
      choices={["", ...active.map(({ userId }) => userId)]}
      words={{ "": strings.choose, ...Object.fromEntries(active.map(({ userId, name }) => [userId, name])) }}
      onChoose={onChoose}
    />
  );
};
