import { useEffect, useState, type ReactNode } from "react";
import { createClient } from "../../protocol/client.ts";
import { createBrowserStorage } from "../lib/storage.ts";
import { useRequest } from "../lib/use-request.ts";
import { useLoad } from "../lib/use-load.ts";
import { actions } from "../strings/actions.ts";
import { signIn as strings } from "../strings/account/sign-in.ts";
import { Failed } from "../ui/section.tsx";
import { CodeForm } from "./code-form.tsx";
import { JoinWith } from "./join-with.tsx";
import { EmailField, findPasswordFault, NameField, PasswordWithRules } from "./fields.tsx";
import { AccountForm, FormEnd, FormFrame, isFree, noFaults, type Faults } from "./form.tsx";
import { useSignIn } from "./use-sign-in.ts";
import { welcomeKey } from "../state/account/use-account.ts";

/** The secret of the link, from behind `#`. It is removed from the address bar, so that it is in no history or screenshot. */
const token = /^#([\w-]{43})$/.exec(location.hash)?.[1];
if (location.hash !== "") history.replaceState(null, "", location.pathname);

/** The pages of `/setup#TOKEN`, `/invite#TOKEN`, `/reset#TOKEN` and `/email#TOKEN`. Independent of the app: the user may not be signed in. */
const LinkPage = () => {
  const { state, reload } = useLoad("instance", (signal) => createClient().getInstance({ params: {} }, signal));
  useEffect(() => {
    // Another link that is opened in this tab changes only the part behind `#`.
    const onHash = () => location.reload();
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);
  if (state.phase === "loading") return <Waiting />;
  if (state.phase === "failed") return <NotLoaded text={state.text} onRetry={reload} />;
  const { mode, signIn } = state.value;
  if (mode === "personal") return <Message {...strings.noAccounts} action={strings.open} />;
  const isSetUp = location.pathname === "/setup";
  if (isSetUp && signIn !== "setup")
    return <Message title={strings.setUp.done} about={strings.setUp.doneAbout} action={strings.signInInstead} />;
  if (token === undefined) return <Message {...strings.incomplete} action={strings.open} />;
  if (isSetUp) return <SetUp token={token} />;
  if (location.pathname === "/email") return <NewEmail token={token} />;
  return location.pathname === "/invite" ? <Invitation token={token} /> : <Reset token={token} />;
};

export default LinkPage;

const Waiting = () => (
  <p role="status" className="grid h-full animate-late place-items-center text-sm text-soft">
    {actions.loading}
  </p>
);

const NotLoaded = ({ text, onRetry }: { readonly text: string; readonly onRetry: () => void }) => (
  <FormFrame title={strings.title}>
    <Failed text={text} onRetry={onRetry} />
  </FormFrame>
);

const Message = ({
  title,
  about,
  action,
}: {
  readonly title: string;
  readonly about: string;
  readonly action: string;
}) => (
  <FormFrame title={title} about={<p>{about}</p>}>
    <a href="/" className="plain-button strong-button h-11">
      {action}
    </a>
  </FormFrame>
);

/** Loads the app without the link in its history. */
const openApp = () => location.replace("/");

type LinkProps = { readonly token: string };

const SetUp = ({ token }: LinkProps) => {
  const onDone = () => {
    createBrowserStorage().set(welcomeKey, "open");
    openApp();
  };
  return (
    <FormFrame title={strings.setUp.title} about={<p>{strings.setUp.about}</p>}>
      <AccountFields
        words={strings.setUp}
        gone={strings.setUp.gone}
        onDone={onDone}
        send={(client, body) => client.setUp({ params: {}, body: { token, ...body } })}
      />
    </FormFrame>
  );
};

const Invitation = ({ token }: LinkProps) => {
  const words = strings.invitation;
  const { state, reload } = useLoad("invitation", async (signal) => {
    const client = createClient();
    const [invitation, me] = await Promise.all([
      client.openInvitation({ params: {}, body: { token } }, signal),
      // Most are not signed in.
      client.getMe({ params: {} }, signal).catch(() => null),
    ]);
    return { invitation, name: me?.account?.name };
  });
  if (state.phase === "loading") return <Waiting />;
  if (state.phase === "failed" && state.status === 404)
    return <Message title={words.gone} about={words.goneAbout} action={strings.open} />;
  if (state.phase === "failed") return <NotLoaded text={state.text} onRetry={reload} />;
  const { invitation, name } = state.value;
  const about: ReactNode = (
    <>
      <p>{words.about}</p>
      {invitation.role === "admin" && <p>{words.asAdmin}</p>}
      {name !== undefined && <p className="rounded-xl bg-warn-wash px-3.5 py-2 text-ink">{words.signedIn(name)}</p>}
    </>
  );
  return (
    <FormFrame title={words.title} about={about}>
      <AccountFields
        words={words}
        gone={words.goneAbout}
        email={invitation.email}
        onDone={openApp}
        send={(client, body) => client.acceptInvitation({ params: {}, body: { token, ...body } })}
      />
      <JoinWith token={token} />
    </FormFrame>
  );
};

type Words = { readonly title: string; readonly submit: string; readonly submitting: string };
type NewAccount = { readonly name: string; readonly email: string; readonly password: string };

type AccountFieldsProps = {
  readonly words: Words;
  /** If the link stopped working. */
  readonly gone: string;
  /** The only address that the link accepts. */
  readonly email?: string | null;
  readonly onDone: () => void;
  readonly send: (client: ReturnType<typeof createClient>, body: NewAccount) => Promise<{ readonly userId: string }>;
};

/** Name, email address and password of a new account. */
const AccountFields = ({ words, gone, email = null, onDone, send: sendWith }: AccountFieldsProps) => {
  const [faults, setFaults] = useState(noFaults);
  const { state, send } = useSignIn({ onDone });
  const failures: Readonly<Record<number, string>> = { 404: gone, 409: strings.emailTaken };
  return (
    <AccountForm
      label={words.title}
      faults={faults}
      onSubmit={(read) => {
        const body = { name: read("name").trim(), email: read("username").trim(), password: read("password") };
        const found = findFaults(body);
        setFaults(found);
        if (isFree(found)) void send((client) => sendWith(client, body));
      }}
    >
      <NameField autoFocus fault={faults["name"] ?? null} />
      <EmailField
        defaultValue={email ?? ""}
        readOnly={email !== null}
        about={email === null ? undefined : strings.invitation.fixedEmail}
        fault={faults["email"] ?? null}
      />
      <PasswordWithRules fault={faults["password"] ?? null} />
      <FormEnd
        state={state}
        failure={state.name === "failed" && state.status !== null ? failures[state.status] : undefined}
        text={words.submit}
        sending={words.submitting}
      />
    </AccountForm>
  );
};

const Reset = ({ token }: LinkProps) => {
  const words = strings.reset;
  const [faults, setFaults] = useState(noFaults);
  const [needsCode, setNeedsCode] = useState(false);
  const { state, send } = useSignIn({ onDone: openApp, onCodeNeeded: () => setNeedsCode(true) });
  if (needsCode) return <CodeForm onDone={openApp} onBack={openApp} />;
  return (
    <FormFrame title={words.title} about={<p>{words.about}</p>}>
      <AccountForm
        label={words.title}
        faults={faults}
        onSubmit={(read) => {
          const password = read("password");
          const fault = findPasswordFault(password);
          setFaults(fault === null ? noFaults : { password: fault });
          if (fault === null) void send((client) => client.resetPassword({ params: {}, body: { token, password } }));
        }}
      >
        <PasswordWithRules autoFocus fault={faults["password"] ?? null} />
        <FormEnd
          state={state}
          failure={state.name === "failed" && state.status === 404 ? words.gone : undefined}
          text={words.submit}
          sending={words.submitting}
        />
      </AccountForm>
    </FormFrame>
  );
};

/** Confirmed with a button: programs that check the links of mails open them, too. */
const NewEmail = ({ token }: LinkProps) => {
  const words = strings.newEmail;
  const [email, setEmail] = useState<string | null>(null);
  const { state, send } = useRequest();
  if (email !== null) return <Message title={words.done} about={words.doneAbout(email)} action={strings.open} />;
  const isSending = state.name === "sending";
  const confirm = async () => {
    const answer = await send(() => createClient().confirmEmail({ params: {}, body: { token } }));
    if (answer) setEmail(answer.email);
  };
  return (
    <FormFrame title={words.title} about={<p>{words.about}</p>}>
      {state.name === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {state.text}
        </p>
      )}
      <button
        type="button"
        className="plain-button strong-button h-11"
        disabled={isSending}
        onClick={() => void confirm()}
      >
        {isSending ? words.submitting : words.submit}
      </button>
    </FormFrame>
  );
};

/** The server checks again, and knows common passwords. */
function findFaults({ name, email, password }: NewAccount): Faults {
  const isOwn = [name, email].some((text) => text.toLowerCase() === password.toLowerCase());
  const passwordFault = findPasswordFault(password) ?? (isOwn ? strings.needs.other : null);
  return {
    ...(name === "" ? { name: strings.needs.name } : {}),
    ...(/^[^\s@]+@[^\s@]+$/.test(email) ? {} : { email: strings.needs.email }),
    ...(passwordFault === null ? {} : { password: passwordFault }),
  };
}
