import { useState } from "react";
import { createClient, ResponseError } from "../../protocol/client.ts";
import { toErrorText } from "../lib/use-load.ts";
import { outsideSignIn as strings } from "../strings/account/outside.ts";
import { signIn } from "../strings/account/sign-in.ts";
import { EmailField } from "./fields.tsx";
import { AccountForm, FormEnd, FormFrame, noFaults } from "./form.tsx";
import type { SignInState } from "./use-sign-in.ts";

type Props = { readonly kind: "reset" | "sign-up"; readonly onBack: () => void };

/** Asks for a link by mail. The answer is the same whether or not there is an account. */
export const MailForm = ({ kind, onBack }: Props) => {
  const words = kind === "reset" ? strings.reset : strings.signUp;
  const [faults, setFaults] = useState(noFaults);
  const [state, setState] = useState<SignInState>({ name: "idle" });
  const [sentTo, setSentTo] = useState<string | null>(null);
  const send = async (email: string) => {
    setState({ name: "sending" });
    const input = { params: {}, body: { email } };
    const client = createClient();
    try {
      await (kind === "reset" ? client.requestReset(input) : client.requestSignUp(input));
      setSentTo(email);
    } catch (error) {
      const status = error instanceof ResponseError ? error.status : null;
      setState({ name: "failed", status, text: toErrorText(error) });
    }
  };
  const back = (
    <button type="button" className="plain-button h-11 w-full" onClick={onBack}>
      {strings.back}
    </button>
  );
  if (sentTo !== null)
    return (
      <FormFrame title={strings.sent.title} about={<p role="status">{strings.sent.about(sentTo)}</p>}>
        {back}
      </FormFrame>
    );
  return (
    <FormFrame title={words.title} about={<p>{words.about}</p>}>
      <AccountForm
        label={words.title}
        faults={faults}
        onSubmit={(read) => {
          const email = read("username").trim();
          const isValid = /^[^\s@]+@[^\s@]+$/.test(email);
          setFaults(isValid ? noFaults : { email: signIn.needs.email });
          if (isValid) void send(email);
        }}
      >
        <EmailField autoFocus fault={faults["email"] ?? null} />
        <FormEnd state={state} text={strings.send} sending={strings.sending} />
      </AccountForm>
      {back}
    </FormFrame>
  );
};
