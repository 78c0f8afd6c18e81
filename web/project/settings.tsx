import { Archive, ArchiveRestore, Trash2 } from "lucide-react";
import { useState } from "react";
import { projectLimits } from "../../protocol/project/kinds.ts";
import { toMoment } from "../lib/time.ts";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import Confirm from "../ui/confirm.tsx";
import { InPlace } from "../ui/in-place.tsx";
import { Quiet, Section } from "../ui/section.tsx";
import { useProject, useProjectFields } from "../state/project/project-context.ts";

/** Its name, and what ends it. */
export const Settings = () => {
  const { client, projects, goTo } = usePage();
  const { projectId, writer } = useProject();
  const project = useProjectFields()?.project;
  const [isAsking, setAsking] = useState(false);
  const { state, send } = useRequest();
  if (!project) return null;
  const { version, archived } = project;
  const remove = async () => {
    if (!(await send(() => client.deleteProject({ params: { projectId } })))) return;
    projects.apply({ type: "project-changed", projectId, project: null });
    goTo(null);
  };
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-8 px-4 pt-2 pb-24 sm:px-8">
      <Section title="Name">
        <InPlace
          label="Name"
          value={project.name}
          version={version}
          hint="Untitled"
          limit={projectLimits.nameCharacters}
          isNeeded
          onSave={(name, was) => void writer.change({ version: was, name })}
        />
        <Quiet>Started {toMoment(project.createdAt)}</Quiet>
      </Section>
      <Section title={archived ? "Archived" : "Archive"}>
        <Quiet>
          {archived
            ? "It stands aside, with everything in it. Its threads still know it."
            : "Puts the project aside, with everything in it. It can be brought back at any time."}
        </Quiet>
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
          {archived ? "Bring it back" : "Archive this project"}
        </button>
      </Section>
      <Section title="Delete">
        <Quiet>
          Everything in it goes for good: what was planned and written, its files, its history. Its threads stay,
          without it.
        </Quiet>
        <button type="button" className="plain-button mt-2 text-danger" onClick={() => setAsking(true)}>
          <Trash2 aria-hidden="true" className="size-4" />
          Delete this project
        </button>
        {state.name === "failed" && (
          <p role="alert" className="mt-2 text-sm text-danger">
            {state.text}
          </p>
        )}
      </Section>
      {isAsking && (
        <Confirm
          title="Delete this project?"
          text={`“${project.name}” and everything in it will be gone for good. This cannot be undone.`}
          action="Delete"
          onConfirm={() => void remove()}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
};
