import { useRef, useState } from "react";
import { factors } from "../strings/account/factors.ts";
import { outsideSignIn } from "../strings/account/outside.ts";
import { Field } from "../ui/field.tsx";
import { AccountForm, FormEnd, FormFrame, noFaults } from "./form.tsx";
import { LinkButton } from "./other-ways.tsx";
import { useSignIn } from "./use-sign-in.ts";

const strings = factors.code;

type Props = { readonly onDone: () => void; readonly onBack: () => void };

/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
export const CodeForm = ({ onDone, onBack }: Props) => {
  const [isRecovery, setRecovery] = useState(false);
  const [faults, setFaults] = useState(noFaults);
  const field = useRef<HTMLInputElement>(null);
  const { state, send } = useSignIn({ onDone, onFailed: (status) => status === 401 && field.current?.select() });
  const failures: Readonly<Record<number, string>> = { 401: strings.wrong, 409: strings.expired };
  const toggle = () => {
    setRecovery(!isRecovery);
    setFaults(noFaults);
  };
  return (
    <FormFrame title={strings.title} about={<p>{isRecovery ? strings.recoveryAbout : strings.about}</p>}>
      <AccountForm
        label={strings.title}
        faults={faults}
        onSubmit={(read) => {
          const code = read("code").trim();
          setFaults(code === "" ? { code: strings.needs } : noFaults);
          if (code !== "") void send((client) => client.signInWithCode({ params: {}, body: { code } }));
        }}
      >
        <Field
          key={isRecovery ? "recovery" : "app"}
          ref={field}
          label={isRecovery ? strings.recoveryLabel : strings.label}
          name="code"
          autoComplete={isRecovery ? "off" : "one-time-code"}
          inputMode={isRecovery ? "text" : "numeric"}
          dir="ltr"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          autoFocus
          maxLength={40}
          look="rtl:[&_input]:text-right [&_input]:font-mono [&_input]:tracking-wider"
          fault={faults["code"] ?? null}
        />
        <FormEnd
          state={state}
          failure={state.name === "failed" && state.status !== null ? failures[state.status] : undefined}
          text={strings.submit}
          sending={strings.submitting}
        />
      </AccountForm>
      <p className="flex flex-wrap justify-center gap-x-5 gap-y-1 text-sm">
        <LinkButton text={isRecovery ? strings.useApp : strings.useRecovery} onClick={toggle} />
        <LinkButton text={outsideSignIn.back} onClick={onBack} />
      </p>
    </FormFrame>
  );
};
