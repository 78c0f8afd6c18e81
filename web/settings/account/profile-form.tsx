import { useState } from "react";
import type { Response } from "../../../protocol/api.ts";
import { EmailField, NameField } from "../../account/fields.tsx";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { actions } from "../../strings/actions.ts";
import { accountSettings as strings } from "../../strings/settings/account.ts";
import { FormMessage } from "../../ui/form-message.tsx";
import { PasswordField } from "../../account/password-field.tsx";
import type { SendConfirmed } from "./use-confirmed.tsx";

type Props = {
  readonly account: NonNullable<Response<"getMe">["account"]>;
  readonly hasPassword: boolean;
  readonly sendConfirmed: SendConfirmed;
};

/** Name and email address. A new email address needs the password if there is one, which is asked for only then. */
export const ProfileForm = ({ account, hasPassword, sendConfirmed }: Props) => {
  const { client, session } = usePage();
  const [name, setName] = useState(account.name);
  const [email, setEmail] = useState(account.email);
  const [password, setPassword] = useState("");
  const { state, send } = useRequest();
  const isNewEmail = email.trim().toLowerCase() !== account.email;
  const isNewName = name.trim() !== account.name;
  const needsPassword = isNewEmail && hasPassword;
  const isEmail = /^[^\s@]+@[^\s@]+$/.test(email.trim());
  const isValid = name.trim() !== "" && (!isNewEmail || isEmail) && (!needsPassword || password !== "");
  const canSave = (isNewName || isNewEmail) && isValid && state.name !== "sending";
  const save = async () => {
    const body = {
      ...(isNewName ? { name: name.trim() } : {}),
      ...(isNewEmail ? { email: email.trim() } : {}),
      ...(needsPassword ? { password } : {}),
    };
    const answer = await send(() => sendConfirmed(() => client.changeAccount({ params: {}, body })));
    if (!answer) return;
    setName(answer.account.name);
    setEmail(answer.account.email);
    setPassword("");
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
      {needsPassword && (
        <PasswordField
          label={strings.confirmPassword}
          about={strings.confirmAbout}
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
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
