import { useRef, useState } from "react";
import { createClient } from "../../protocol/client.ts";
import { useLoad } from "../lib/use-load.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { actions } from "../strings/actions.ts";
import { signIn as strings } from "../strings/account/sign-in.ts";
import { Failed } from "../ui/section.tsx";
import { CodeForm } from "./code-form.tsx";
import { PasswordField } from "./password-field.tsx";
import { EmailField } from "./fields.tsx";
import { AccountForm, FormEnd, FormFrame, isFree, noFaults, type Faults } from "./form.tsx";
import { MailForm } from "./mail-form.tsx";
import { OtherWays } from "./other-ways.tsx";
import { useSignIn } from "./use-sign-in.ts";

/** The form that this instance needs. Reloads the page after signing in, so that no data of another user stays in memory. */
const SignIn = () => {
  const { state, reload } = useLoad("instance", (signal) => createClient().getInstance({ params: {} }, signal));
  const [asked, setAsked] = useState<"reset" | "sign-up" | "code" | null>(null);
  const session = useSignal(usePage().session.state);
  const ended = session.phase === "signed-out" ? session.ended : null;
  const about = ended && <p role="status">{strings.ended}</p>;
  if (state.phase === "loading")
    return (
      <p role="status" className="grid h-full animate-late place-items-center text-sm text-soft">
        {actions.loading}
      </p>
    );
  if (state.phase === "failed")
    return (
      <FormFrame title={strings.title}>
        <Failed text={state.text} onRetry={reload} />
      </FormFrame>
    );
  switch (state.value.signIn) {
    case "setup":
      return <FormFrame title={strings.notSetUp.title} about={<p>{strings.notSetUp.about}</p>} />;
    case "password":
      if (asked === "code") return <CodeForm onDone={reloadPage} onBack={() => setAsked(null)} />;
      if (asked !== null) return <MailForm kind={asked} onBack={() => setAsked(null)} />;
      return (
        <FormFrame title={strings.title} about={about}>
          <PasswordForm email={ended?.account?.email ?? ""} onCodeNeeded={() => setAsked("code")} />
          <OtherWays instance={state.value} onDone={reloadPage} onAsk={setAsked} />
        </FormFrame>
      );
    case "token":
      return (
        <FormFrame title={strings.title} about={about}>
          <TokenForm />
        </FormFrame>
      );
    case "none":
      return (
        <FormFrame title={strings.title} about={about}>
          <button type="button" className="plain-button strong-button h-11" onClick={() => location.reload()}>
            {strings.reload}
          </button>
        </FormFrame>
      );
  }
};

export default SignIn;

const reloadPage = () => location.reload();

/** After wrong credentials, the secret is selected to be typed again. */
function useSignInHere(onCodeNeeded: () => void = () => undefined) {
  const field = useRef<HTMLInputElement>(null);
  const onFailed = (status: number | null) => status === 401 && field.current?.select();
  return { field, ...useSignIn({ onDone: reloadPage, onCodeNeeded, onFailed }) } as const;
}

type PasswordFormProps = { readonly email: string; readonly onCodeNeeded: () => void };

const PasswordForm = ({ email, onCodeNeeded }: PasswordFormProps) => {
  const [faults, setFaults] = useState(noFaults);
  const { field, state, send } = useSignInHere(onCodeNeeded);
  return (
    <AccountForm
      label={strings.title}
      faults={faults}
      onSubmit={(read) => {
        const body = { email: read("username").trim(), password: read("password") };
        const found: Faults = {
          ...(body.email === "" ? { email: strings.needs.email } : {}),
          ...(body.password === "" ? { password: strings.needs.password } : {}),
        };
        setFaults(found);
        if (isFree(found)) void send((client) => client.signIn({ params: {}, body }));
      }}
    >
      <EmailField autoFocus={email === ""} defaultValue={email} fault={faults["email"] ?? null} />
      <PasswordField
        ref={field}
        label={strings.password}
        name="password"
        autoComplete="current-password"
        autoFocus={email !== ""}
        fault={faults["password"] ?? null}
      />
      <FormEnd
        state={state}
        failure={state.name === "failed" && state.status === 401 ? strings.wrong : undefined}
        text={strings.submit}
        sending={strings.submitting}
      />
    </AccountForm>
  );
};

const tokenVariable = "STONECHAT_TOKEN";

const TokenForm = () => {
  const [faults, setFaults] = useState(noFaults);
  const { field, state, send } = useSignInHere();
  return (
    <AccountForm
      label={strings.title}
      faults={faults}
      onSubmit={(read) => {
        const token = read("token").trim();
        setFaults(token === "" ? { token: strings.needs.token } : noFaults);
        if (token !== "") void send((client) => client.signIn({ params: {}, body: { token } }));
      }}
    >
      <PasswordField
        ref={field}
        label={strings.token}
        name="token"
        autoComplete="current-password"
        autoFocus
        fault={faults["token"] ?? null}
      />
      <FormEnd
        state={state}
        failure={state.name === "failed" && state.status === 401 ? strings.wrongToken : undefined}
        text={strings.submit}
        sending={strings.submitting}
      />
      <p className="text-center text-sm text-soft">
        {strings.tokenHint} <code className="font-mono text-[0.8rem]">{tokenVariable}</code>
      </p>
    </AccountForm>
  );
};
