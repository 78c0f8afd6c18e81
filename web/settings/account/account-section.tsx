import { LogOut } from "lucide-react";
import { useState } from "react";
import { usePage } from "../../state/page.ts";
import { signOut } from "../../state/account/sign-out.ts";
import { useAccount } from "../../state/account/use-account.ts";
import { accountSettings as strings } from "../../strings/settings/account.ts";
import { Badge } from "../../ui/badge.tsx";
import { Failed, Quiet, Section } from "../../ui/section.tsx";
import { factors } from "../../strings/account/factors.ts";
import { outsideSignIn } from "../../strings/account/outside.ts";
import { useSelected } from "../../lib/signal.ts";
import { useLoad } from "../../lib/use-load.ts";
import { Authenticator } from "./authenticator.tsx";
import { LinkedSignIns } from "./linked-sign-ins.tsx";
import { OwnLimits } from "./own-limits.tsx";
import { Passkeys } from "./passkeys.tsx";
import { PasswordForm } from "./password-form.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { Sessions } from "./sessions.tsx";
import { useConfirmed } from "./use-confirmed.tsx";

/** The user's account: profile, password, passkeys, second factor, sessions. */
export const AccountSection = () => {
  const page = usePage();
  const account = useAccount();
  const isByProxy = useSelected(
    page.session.state,
    (state) => state.phase === "signed-in" && state.me.signIn === "proxy",
  );
  if (!account) return null;
  return (
    <>
      <OwnAccount account={account} isByProxy={isByProxy} />
      <OwnLimits />
      <Section title={strings.signOut.title}>
        <Quiet>{isByProxy ? outsideSignIn.byProxy : strings.signOut.about}</Quiet>
        {!isByProxy && (
          <button type="button" className="plain-button mt-2" onClick={() => void signOut(page)}>
            <LogOut aria-hidden="true" className="size-4" />
            {strings.signOut.action}
          </button>
        )}
      </Section>
    </>
  );
};

type OwnProps = {
  readonly account: NonNullable<ReturnType<typeof useAccount>>;
  readonly isByProxy: boolean;
};

/** Forms of the account. Changes of how to sign in may need a proof, and most end sessions, so both lists are loaded again. */
const OwnAccount = ({ account, isByProxy }: OwnProps) => {
  const { client } = usePage();
  const { state, reload } = useLoad("factors", (signal) => client.getFactors({ params: {} }, signal));
  const [changes, setChanges] = useState(0);
  const found = state.phase === "ready" ? state.value : null;
  const hasPassword = found?.password ?? true;
  const { sendConfirmed, dialog } = useConfirmed(found ?? { password: true, passkeys: [], passkeyOrigin: null });
  const onChanged = () => {
    setChanges(changes + 1);
    reload();
  };
  return (
    <>
      <Section title={strings.profile} actions={<Badge tone="quiet">{strings.role[account.role]}</Badge>}>
        <ProfileForm account={account} sendConfirmed={sendConfirmed} />
      </Section>
      <Section title={strings.password.title}>
        <PasswordForm
          email={account.email}
          hasPassword={hasPassword}
          sendConfirmed={sendConfirmed}
          onChanged={onChanged}
        />
      </Section>
      {state.phase === "failed" && (
        <Section title={factors.passkeys.title}>
          <Failed text={state.text} onRetry={reload} />
        </Section>
      )}
      {found && !isByProxy && (
        <>
          <Passkeys
            passkeys={found.passkeys}
            origin={found.passkeyOrigin}
            sendConfirmed={sendConfirmed}
            onChanged={onChanged}
          />
          <Authenticator
            authenticator={found.authenticator}
            hasPassword={hasPassword}
            sendConfirmed={sendConfirmed}
            onChanged={onChanged}
          />
        </>
      )}
      <LinkedSignIns sendConfirmed={sendConfirmed} />
      <Sessions key={changes} />
      {dialog}
    </>
  );
};
