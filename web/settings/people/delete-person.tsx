import { UserX } from "lucide-react";
import { useState } from "react";
import type { PersonDetails } from "../../../protocol/account/person.ts";
import { createId } from "../../lib/ids.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { personSettings } from "../../strings/settings/person.ts";
import Confirm from "../../ui/confirm.tsx";
import { ChooseHeir, toNames, type Heirs } from "./owned-projects.tsx";

const strings = personSettings.remove;

type Props = { readonly details: PersonDetails; readonly onDeleted: () => void };

/** Deletes an account, after new owners were chosen for its projects with members. */
export const DeletePerson = ({ details: { person, projects }, onDeleted }: Props) => {
  const { client } = usePage();
  const [isConfirming, setConfirming] = useState(false);
  const [heirs, setHeirs] = useState<Heirs>({});
  const { state, send } = useRequest();
  const owners = projects.flatMap(({ id }) => (heirs[id] ? [{ projectId: id, to: heirs[id] }] : []));
  const isComplete = owners.length === projects.length;
  const remove = async () => {
    const body = { id: createId(), owners };
    if (await send(() => client.deletePerson({ params: { userId: person.id }, body }))) onDeleted();
  };
  return (
    <div role="group" aria-label={strings.action} className="grid justify-items-start gap-2">
      {projects.length > 0 && (
        <div className="grid gap-2 text-sm">
          <p className="text-soft">{strings.owners}</p>
          {projects.map((project) => (
            <ChooseHeir
              key={project.id}
              project={project}
              label={strings.ownerOf(toNames(project))}
              heir={heirs[project.id]}
              onChoose={(heir) => setHeirs({ ...heirs, [project.id]: heir })}
            />
          ))}
        </div>
      )}
      <button
        type="button"
        className="plain-button text-danger"
        disabled={!isComplete || state.name === "sending"}
        onClick={() => setConfirming(true)}
      >
        <UserX aria-hidden="true" className="size-4" />
        {strings.action}
      </button>
      {!isComplete && <p className="text-xs text-soft">{strings.choose}</p>}
      {state.name === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {state.text}
        </p>
      )}
      {isConfirming && (
        <Confirm
          title={strings.title(person.name)}
          text={strings.text}
          action={strings.confirm}
          onConfirm={() => void remove()}
          onClose={() => setConfirming(false)}
        />
      )}
    </div>
  );
};
