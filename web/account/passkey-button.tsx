import { Fingerprint } from "lucide-react";
import { useEffect } from "react";
import { factors } from "../strings/account/factors.ts";
import { findPasskeyFault, loadPasskeys, signInWithPasskey } from "./passkey.ts";
import { useSignIn } from "./use-sign-in.ts";

type Props = {
  /** The only address at which passkeys work; null: any. */
  readonly origin: string | null;
  readonly onDone: () => void;
};

/** Signs in without an email address. Not shown where the browser has no passkeys. */
export const PasskeyButton = (props: Props) => (findPasskeyFault(props.origin) === null ? <Button {...props} /> : null);

const Button = ({ onDone }: Props) => {
  const { state, send } = useSignIn({ onDone });
  useEffect(() => {
    // A failure is reported when the button is pressed.
    loadPasskeys().catch(() => undefined);
  }, []);
  return (
    <>
      <button
        type="button"
        className="plain-button h-11 w-full"
        disabled={state.name === "sending"}
        onClick={() => void send(signInWithPasskey)}
      >
        <Fingerprint aria-hidden="true" className="size-4 flex-none" />
        <span className="truncate">{factors.signInWithPasskey}</span>
      </button>
      {(state.name === "failed" || state.name === "throttled") && (
        <p role="alert" className="text-danger">
          {state.text}
        </p>
      )}
    </>
  );
};
