import { Fingerprint } from "lucide-react";
import { useState, type ReactNode } from "react";
import { ResponseError } from "../../../protocol/client.ts";
import { PasswordField } from "../../account/password-field.tsx";
import { confirmWithPasskey, findPasskeyFault } from "../../account/passkey.ts";
import { ShownError } from "../../lib/error-text.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { factors } from "../../strings/account/factors.ts";
import { Quiet } from "../../ui/section.tsx";
import { Sheet } from "../../ui/sheet.tsx";

const strings = factors.confirm;

/** Sends a request. If the server needs a proof of who the user is, asks for it and sends the request again. */
export type SendConfirmed = <T>(request: () => Promise<T>) => Promise<T>;

/** How the user can prove it. */
export type Proofs = {
  readonly password: boolean;
  readonly passkeys: readonly object[];
  readonly passkeyOrigin: string | null;
};

export function useConfirmed(proofs: Proofs): { readonly sendConfirmed: SendConfirmed; readonly dialog: ReactNode } {
  const [asked, setAsked] = useState<{ readonly settle: (isConfirmed: boolean) => void } | null>(null);
  const sendConfirmed: SendConfirmed = async (request) => {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ResponseError) || error.code !== "unconfirmed") throw error;
    }
    const isConfirmed = await new Promise<boolean>((resolve) => setAsked({ settle: resolve }));
    setAsked(null);
    if (!isConfirmed) throw new ShownError(strings.cancelled);
    return request();
  };
  return { sendConfirmed, dialog: asked && <ConfirmSheet proofs={proofs} onSettle={asked.settle} /> };
}

type SheetProps = { readonly proofs: Proofs; readonly onSettle: (isConfirmed: boolean) => void };

const ConfirmSheet = ({ proofs, onSettle }: SheetProps) => {
  const { client } = usePage();
  const [password, setPassword] = useState("");
  const { state, send } = useRequest();
  const hasPasskeys = proofs.passkeys.length > 0 && findPasskeyFault(proofs.passkeyOrigin) === null;
  const isSending = state.name === "sending";
  const confirm = async (request: () => Promise<unknown>) => {
    const isDone = await send(async () => {
      await request();
      return true;
    });
    if (isDone) onSettle(true);
  };
  return (
    <Sheet title={strings.title} about={strings.about} size="narrow" onClose={() => onSettle(false)}>
      <form
        aria-label={strings.title}
        className="grid gap-3 pt-1"
        onSubmit={(event) => {
          event.preventDefault();
          if (password !== "" && !isSending) {
            void confirm(() => client.confirmUser({ params: {}, body: { password } }));
          }
        }}
      >
        {proofs.password && (
          <PasswordField
            label={strings.password}
            autoComplete="current-password"
            autoFocus
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
        {state.name === "failed" && (
          <p role="alert" className="text-sm text-danger">
            {state.text}
          </p>
        )}
        {!proofs.password && !hasPasskeys && <Quiet>{strings.neither}</Quiet>}
        <div className="flex flex-wrap justify-end gap-2">
          {hasPasskeys && (
            <button
              type="button"
              className="plain-button"
              disabled={isSending}
              onClick={() => void confirm(() => confirmWithPasskey(client))}
            >
              <Fingerprint aria-hidden="true" className="size-4" />
              {strings.passkey}
            </button>
          )}
          {proofs.password && (
            <button type="submit" className="plain-button strong-button" disabled={password === "" || isSending}>
              {isSending ? strings.submitting : strings.submit}
            </button>
          )}
        </div>
      </form>
    </Sheet>
  );
};
