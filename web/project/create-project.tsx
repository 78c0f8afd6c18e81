import { useState } from "react";
import { projectLimits } from "../../protocol/project/kinds.ts";
import { createId } from "../lib/ids.ts";
import { useRequest } from "../lib/use-request.ts";
import { usePage } from "../state/page.ts";
import { projectList as strings } from "../strings/project/list.ts";

type Props = {
  readonly onCreated: (projectId: string) => void;
  /** Called when the field is left without a name, if it then disappears. */
  readonly onLeave?: () => void;
  /** A button below the field; without it only Enter creates the project. */
  readonly button?: string;
  readonly look?: string;
};

/** Creates a project by its name. */
export const CreateProject = ({ onCreated, onLeave, button, look = "" }: Props) => {
  const { client, projects } = usePage();
  const { state, send } = useRequest();
  const [name, setName] = useState("");
  const [id] = useState(createId);
  const isEmpty = name.trim() === "";
  const create = async () => {
    if (isEmpty) return onLeave?.();
    const project = await send(() => client.createProject({ params: {}, body: { id, name: name.trim() } }));
    if (!project) return;
    projects.merge(project);
    onCreated(project.id);
  };
  return (
    <form
      className={`grid gap-2 ${look}`}
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <input
        autoFocus
        dir="auto"
        aria-label={strings.name}
        placeholder={strings.name}
        value={name}
        maxLength={projectLimits.nameCharacters}
        disabled={state.name === "sending"}
        onChange={(event) => setName(event.target.value)}
        // A menu around it would take letters as a search for its items; it still closes with Escape.
        onKeyDown={(event) => {
          if (event.key !== "Escape" || onLeave) event.stopPropagation();
          if (event.key === "Escape") onLeave?.();
        }}
        onBlur={() => isEmpty && onLeave?.()}
        className="h-9 w-full rounded-xl bg-sunk px-3 text-sm placeholder:text-soft pointer-coarse:h-11 pointer-coarse:text-base"
      />
      {state.name === "failed" && (
        <p role="alert" className="px-2 text-xs text-danger">
          {state.text}
        </p>
      )}
      {button !== undefined && (
        <button type="submit" disabled={isEmpty} className="plain-button strong-button">
          {button}
        </button>
      )}
    </form>
  );
};
