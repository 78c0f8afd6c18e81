import type { Response } from "../../protocol/api.ts";
import { outsideSignIn as strings } from "../strings/account/outside.ts";
import { PasskeyButton } from "./passkey-button.tsx";
import { findPasskeyFault } from "./passkey.ts";
import { signIn } from "../strings/account/sign-in.ts";

type Props = {
  readonly instance: Response<"getInstance">;
  readonly onDone: () => void;
  readonly onAsk: (kind: "reset" | "sign-up") => void;
};

/** Below the form for a password: sign-in with a passkey or a provider, and links by mail. */
export const OtherWays = ({ instance: { oidc, mail, signUp, passkeyOrigin }, onDone, onAsk }: Props) => (
  <div className="grid gap-4 text-center text-sm">
    {(oidc || findPasskeyFault(passkeyOrigin ?? null) === null) && <Or />}
    <PasskeyButton origin={passkeyOrigin ?? null} onDone={onDone} />
    {oidc && (
      <>
        {/* The server answers with a redirect to the provider. */}
        <a
          href={`/api/sign-in/oidc?to=${encodeURIComponent(location.pathname + location.search)}`}
          className="plain-button h-11 w-full"
        >
          <span className="truncate">{strings.signInWith(oidc.name)}</span>
        </a>
      </>
    )}
    <p className="flex flex-wrap justify-center gap-x-5 gap-y-1 text-pretty text-soft">
      {mail ? <LinkButton text={strings.forgot} onClick={() => onAsk("reset")} /> : signIn.forgotten}
      {signUp && <LinkButton text={strings.create} onClick={() => onAsk("sign-up")} />}
    </p>
  </div>
);

export const LinkButton = ({ text, onClick }: { readonly text: string; readonly onClick: () => void }) => (
  <button
    type="button"
    className="min-h-8 font-medium text-ink underline underline-offset-2 pointer-coarse:min-h-11"
    onClick={onClick}
  >
    {text}
  </button>
);

export const Or = () => (
  <p className="flex items-center gap-3 text-xs text-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
    {strings.or}
  </p>
);
