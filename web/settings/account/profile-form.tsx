import { useState } from "react";
import type { Response } from "../../../protocol/api.ts";
import { EmailField, NameField } from "../../account/fields.tsx";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { actions } from "../../strings/actions.ts";
import { accountSettings as strings } from "../../strings/settings/account.ts";
import { FormMessage } from "../../ui/form-message.tsx";
import type { SendConfirmed } from "./use-confirmed.tsx";

type Props = {
  readonly account: NonNullable<Response<"getMe">["account"]>;
  readonly sendConfirmed: SendConfirmed;
};

/** Name and email address. A new address needs a recent proof, and on a server that sends mail the link that is sent to it. */
export const ProfileForm = ({ account, sendConfirmed }: Props) => {
  const { client, session } = usePage();
  const [name, setName] = useState(account.name);
  const [email, setEmail] = useState(account.email);
  const [pendingEmail, setPendingEmail] = useState<string | null>(null);
  const { state, send } = useRequest();
  const isNewEmail = email.trim().toLowerCase() !== account.email;
  const isNewName = name.trim() !== account.name;
  const isEmail = /^[^\s@]+@[^\s@]+$/.test(email.trim());
  const isValid = name.trim() !== "" && (!isNewEmail || isEmail);
  const canSave = (isNewName || isNewEmail) && isValid && state.name !== "sending";
  const save = async () => {
    const body = {
      ...(isNewName ? { name: name.trim() } : {}),
      ...(isNewEmail ? { email: email.trim() } : {}),
    };
    const answer = await send(() => sendConfirmed(() => client.changeAccount({ params: {}, body })));
    if (!answer) return;
    setName(answer.account.name);
    setEmail(answer.account.email);
    setPendingEmail(answer.pendingEmail);
    await session.load();
  };
  return (
    <form
      aria-label={strings.profile}
      className="grid gap-3 rounded-2xl bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) void save();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <NameField
          label={strings.name}
          value={name}
          fault={name.trim() === "" ? strings.needsName : null}
          onChange={(event) => setName(event.target.value)}
        />
        <EmailField
          label={strings.email}
          about={strings.emailAbout}
          autoComplete="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </div>
      {pendingEmail !== null && (
        <p role="status" className="rounded-xl bg-warn-wash px-3 py-2 text-sm wrap-anywhere">
          {strings.pendingEmail(pendingEmail)}
        </p>
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <FormMessage state={state} />
        <button type="submit" className="plain-button strong-button" disabled={!canSave}>
          {actions.save}
        </button>
      </div>
    </form>
  );
};
