import { Archive, ArchiveRestore, Trash2 } from "lucide-react";
import { useState } from "react";
import { projectLimits } from "../../protocol/project/kinds.ts";
import { toMoment } from "../lib/time.ts";
import { useAccount } from "../state/account/use-account.ts";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import Confirm from "../ui/confirm.tsx";
import { InPlace } from "../ui/in-place.tsx";
import { Quiet, Section } from "../ui/section.tsx";
import { Members } from "./members.tsx";
import { useProject, useProjectFields } from "../state/project/project-context.ts";
import { actions } from "../strings/actions.ts";
import { project as projectStrings } from "../strings/project/page.ts";

const strings = projectStrings.settings;

/** Name, archiving and deletion of a project. */
export const Settings = () => {
  const { client, projects, goTo } = usePage();
  const { projectId, writer } = useProject();
  const project = useProjectFields()?.project;
  const hasAccounts = useAccount() !== null;
  const [isConfirming, setConfirming] = useState(false);
  const { state, send } = useRequest();
  if (!project) return null;
  const { version, archived, role } = project;
  const isOwner = role === undefined || role === "owner";
  const remove = async () => {
    if (!(await send(() => client.deleteProject({ params: { projectId } })))) return;
    projects.apply({ type: "project-changed", projectId, project: null });
    goTo(null);
  };
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-8 px-4 pt-2 pb-24 sm:px-8">
      {hasAccounts && <Members />}
      {role !== "viewer" && (
        <Section title={strings.name}>
          <InPlace
            label={strings.name}
            value={project.name}
            version={version}
            hint={strings.untitled}
            limit={projectLimits.nameCharacters}
            isNeeded
            onSave={(name, base) => void writer.change({ version: base, name })}
          />
          <Quiet>{strings.created(toMoment(project.createdAt))}</Quiet>
        </Section>
      )}
      {isOwner && (
        <Section title={archived ? strings.archived : strings.archive}>
          <Quiet>{archived ? strings.archivedAbout : strings.archiveAbout}</Quiet>
          <button
            type="button"
            className="plain-button mt-2"
            onClick={() => void writer.change({ version, archived: !archived })}
          >
            {archived ? (
              <ArchiveRestore aria-hidden="true" className="size-4" />
            ) : (
              <Archive aria-hidden="true" className="size-4" />
            )}
            {archived ? strings.restoreButton : strings.archiveButton}
          </button>
        </Section>
      )}
      {isOwner && (
        <Section title={strings.delete}>
          <Quiet>{strings.deleteAbout}</Quiet>
          <button type="button" className="plain-button mt-2 text-danger" onClick={() => setConfirming(true)}>
            <Trash2 aria-hidden="true" className="size-4" />
            {strings.deleteButton}
          </button>
          {state.name === "failed" && (
            <p role="alert" className="mt-2 text-sm text-danger">
              {state.text}
            </p>
          )}
        </Section>
      )}
      {isConfirming && (
        <Confirm
          title={strings.deleteTitle}
          text={strings.deleteConfirm(project.name)}
          action={actions.delete}
          onConfirm={() => void remove()}
          onClose={() => setConfirming(false)}
        />
      )}
    </div>
  );
};
