import { useState } from "react";
import type { Response } from "../../../protocol/api.ts";
import { roles, type Role } from "../../../protocol/roles.ts";
import { EmailField } from "../../account/fields.tsx";
import { escapeProps } from "../../lib/escape.ts";
import { createId } from "../../lib/ids.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { actions } from "../../strings/actions.ts";
import { outsideSignIn } from "../../strings/account/outside.ts";
import { peopleSettings } from "../../strings/settings/people.ts";
import { FormMessage } from "../../ui/form-message.tsx";
import { Select } from "../../ui/select.tsx";

const strings = peopleSettings.invitations;

export type CreatedInvitation = Response<"createInvitation"> & { readonly isMailed: boolean };

type Props = { readonly onClose: () => void; readonly onCreated: (created: CreatedInvitation) => void };

const order = roles.toReversed();

export const InvitationForm = ({ onClose, onCreated }: Props) => {
  const { client } = usePage();
  const [role, setRole] = useState<Role>("member");
  const { state, send } = useRequest();
  const instance = useLoad("instance", (signal) => client.getInstance({ params: {} }, signal)).state;
  const canMail = instance.phase === "ready" && instance.value.mail === true;
  const [isMailed, setMailed] = useState(true);
  const create = async (email: string) => {
    // A new id for each attempt: if an answer was lost, its invitation stays in the list and can be revoked.
    const body = { id: createId(), role, ...(email === "" ? {} : { email, mail: canMail && isMailed }) };
    const answer = await send(() => client.createInvitation({ params: {}, body }));
    if (answer) onCreated({ ...answer, isMailed: canMail && isMailed && answer.invitation.email !== null });
  };
  return (
    <form
      aria-label={strings.add}
      className="mt-2 grid gap-4 rounded-2xl bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void create(String(new FormData(event.currentTarget).get("email") ?? "").trim());
      }}
      {...escapeProps(onClose)}
    >
      <EmailField
        label={strings.email}
        name="email"
        autoFocus
        autoComplete="off"
        pattern="[^\s@]+@[^\s@]+"
        mismatch={strings.emailMismatch}
        about={strings.emailAbout}
      />
      <div className="grid justify-items-start gap-1">
        <span aria-hidden="true" className="text-xs font-medium text-soft">
          {strings.role}
        </span>
        <Select label={strings.role} value={role} choices={order} words={peopleSettings.roles} onChoose={setRole} />
        <span className="text-xs text-soft">{peopleSettings.roleAbout[role]}</span>
      </div>
      {canMail && (
        <label className="flex items-center gap-2.5 text-sm pointer-coarse:min-h-11">
          <input
            type="checkbox"
            checked={isMailed}
            onChange={(event) => setMailed(event.target.checked)}
            className="size-4 flex-none accent-(--accent)"
          />
          {outsideSignIn.invitation.mail}
        </label>
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <FormMessage state={state} done="" />
        <button type="button" className="plain-button" onClick={onClose}>
          {actions.cancel}
        </button>
        <button type="submit" className="plain-button strong-button" disabled={state.name === "sending"}>
          {strings.create}
        </button>
      </div>
    </form>
  );
};
