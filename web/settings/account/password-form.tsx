import { Check } from "lucide-react";
import { useState } from "react";
import { findPasswordFault, PasswordWithRules } from "../../account/fields.tsx";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { accountSettings } from "../../strings/settings/account.ts";
import { factors } from "../../strings/account/factors.ts";
import { PasswordField } from "../../account/password-field.tsx";
import { Quiet } from "../../ui/section.tsx";
import type { SendConfirmed } from "./use-confirmed.tsx";

const strings = accountSettings.password;

type Props = {
  readonly email: string;
  /** If false, the user may set a first password after confirming their identity. */
  readonly hasPassword: boolean;
  readonly sendConfirmed: SendConfirmed;
  readonly onChanged: () => void;
};

/** Changing the password ends all other sessions, and API keys only if the user says so. */
export const PasswordForm = ({ email, hasPassword, sendConfirmed, onChanged }: Props) => {
  const { client } = usePage();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [revokeKeys, setRevokeKeys] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const [ended, setEnded] = useState<number | null>(null);
  const { state, send } = useRequest();
  const fault = findPasswordFault(next);
  const canSend = (current !== "" || !hasPassword) && next !== "" && state.name !== "sending";
  const change = async () => {
    setChecked(true);
    if (fault !== null) return;
    setEnded(null);
    const body = { ...(hasPassword ? { current } : {}), next, ...(revokeKeys ? { revokeKeys } : {}) };
    const answer = await send(() => sendConfirmed(() => client.changePassword({ params: {}, body })));
    if (!answer) return;
    setEnded(answer.ended);
    setCurrent("");
    setNext("");
    setRevokeKeys(false);
    setChecked(false);
    onChanged();
  };
  return (
    <form
      aria-label={strings.submit}
      className="grid gap-3 rounded-2xl bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) void change();
      }}
    >
      <Quiet>{hasPassword ? strings.about : factors.setPassword.about}</Quiet>
      {/* Password managers need to know whose password it is. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <div className="grid gap-3 sm:grid-cols-2">
        {hasPassword && (
          <PasswordField
            label={strings.current}
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        )}
        <PasswordWithRules
          label={strings.next}
          value={next}
          fault={isChecked && next !== "" ? fault : null}
          onChange={(event) => setNext(event.target.value)}
        />
      </div>
      <label className="flex items-start gap-2.5 text-sm pointer-coarse:py-1">
        <input
          type="checkbox"
          checked={revokeKeys}
          onChange={(event) => setRevokeKeys(event.target.checked)}
          className="mt-0.5 size-4 flex-none accent-(--accent)"
        />
        {strings.revokeKeys}
      </label>
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p role="status" className="inline-flex items-center gap-1.5 text-xs text-soft empty:hidden">
          {ended !== null && (
            <>
              <Check aria-hidden="true" className="size-3.5 text-good" />
              {strings.done(ended)}
            </>
          )}
        </p>
        {state.name === "failed" && (
          <p role="alert" className="basis-full text-sm text-danger">
            {state.text}
          </p>
        )}
        <button type="submit" className="plain-button strong-button" disabled={!canSend}>
          {state.name === "sending" ? strings.submitting : hasPassword ? strings.submit : factors.setPassword.submit}
        </button>
      </div>
    </form>
  );
};
