import { Smartphone } from "lucide-react";
import { Suspense, useState } from "react";
import type { Response } from "../../../protocol/api.ts";
import { lazyChunk } from "../../lib/lazy-chunk.ts";
import { toDay } from "../../lib/time.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { actions } from "../../strings/actions.ts";
import { factors } from "../../strings/account/factors.ts";
import Confirm from "../../ui/confirm.tsx";
import { Field } from "../../ui/field.tsx";
import { Quiet, Section } from "../../ui/section.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import type { SendConfirmed } from "./use-confirmed.tsx";

const QrCode = lazyChunk(() => import("./qr-code.tsx"));
const strings = factors.app;

type Factors = Response<"getFactors">;
type Offer = Response<"startAuthenticator">;
type NewCodes = { readonly recoveryCodes: readonly string[]; readonly ended: number };

type Props = {
  readonly authenticator: Factors["authenticator"];
  readonly hasPassword: boolean;
  readonly sendConfirmed: SendConfirmed;
  /** Sessions may have ended. */
  readonly onChanged: () => void;
};

/** Setting up an authenticator app, its recovery codes, and turning it off. */
export const Authenticator = ({ authenticator, hasPassword, sendConfirmed, onChanged }: Props) => {
  const { client } = usePage();
  const [offer, setOffer] = useState<Offer | null>(null);
  const [codes, setCodes] = useState<NewCodes | null>(null);
  const [asked, setAsked] = useState<"codes" | "off" | null>(null);
  const { state, send } = useRequest();
  const isSending = state.name === "sending";
  const start = async () => {
    const answer = await send(() => sendConfirmed(() => client.startAuthenticator({ params: {}, body: {} })));
    if (answer) setOffer(answer);
  };
  const finish = (answer: NewCodes) => {
    setOffer(null);
    setCodes(answer);
    onChanged();
  };
  const createCodes = async () => {
    const answer = await send(() => sendConfirmed(() => client.createRecoveryCodes({ params: {}, body: {} })));
    if (answer) finish({ ...answer, ended: 0 });
  };
  const turnOff = async () => {
    const answer = await send(() => sendConfirmed(() => client.removeAuthenticator({ params: {} })));
    if (!answer) return;
    setCodes(null);
    onChanged();
  };
  return (
    <Section title={strings.title}>
      <Quiet>{authenticator === null && !hasPassword ? strings.noPassword : strings.about}</Quiet>
      {authenticator !== null && (
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-2xl bg-raised px-4 py-3">
          <Smartphone aria-hidden="true" className="size-4.5 flex-none text-soft" />
          <p className="min-w-40 flex-1 text-sm">
            {strings.since(toDay(authenticator.createdAt))}{" "}
            <span className="text-soft">{strings.left(authenticator.recoveryCodesLeft)}</span>
          </p>
          <button type="button" className="plain-button" disabled={isSending} onClick={() => setAsked("codes")}>
            {strings.newCodes}
          </button>
          <button type="button" className="plain-button" disabled={isSending} onClick={() => setAsked("off")}>
            {strings.turnOff}
          </button>
        </div>
      )}
      {authenticator === null && hasPassword && offer === null && (
        <button type="button" className="plain-button mt-1" disabled={isSending} onClick={() => void start()}>
          {strings.setUp}
        </button>
      )}
      {state.name === "failed" && (
        <p role="alert" className="py-1 text-sm text-danger">
          {state.text}
        </p>
      )}
      {offer && (
        <OfferForm offer={offer} sendConfirmed={sendConfirmed} onAdded={finish} onCancel={() => setOffer(null)} />
      )}
      {codes && <RecoveryCodes codes={codes.recoveryCodes} ended={codes.ended} onDone={() => setCodes(null)} />}
      {asked === "codes" && (
        <Confirm
          title={strings.newCodesTitle}
          text={strings.newCodesAbout}
          action={strings.newCodesAction}
          onConfirm={() => void createCodes()}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === "off" && (
        <Confirm
          title={strings.turnOffTitle}
          text={strings.turnOffAbout}
          action={strings.turnOffAction}
          onConfirm={() => void turnOff()}
          onClose={() => setAsked(null)}
        />
      )}
    </Section>
  );
};

type OfferProps = {
  readonly offer: Offer;
  readonly sendConfirmed: SendConfirmed;
  readonly onAdded: (answer: NewCodes) => void;
  readonly onCancel: () => void;
};

const OfferForm = ({ offer: { key, uri, state: sealed }, sendConfirmed, onAdded, onCancel }: OfferProps) => {
  const { client } = usePage();
  const [code, setCode] = useState("");
  const { state, send } = useRequest();
  const isSending = state.name === "sending";
  const add = async () => {
    const body = { state: sealed, code: code.trim() };
    const answer = await send(() => sendConfirmed(() => client.addAuthenticator({ params: {}, body })));
    if (answer) onAdded(answer);
  };
  return (
    <form
      aria-label={strings.title}
      className="mt-1 flex flex-wrap items-start gap-4 rounded-2xl bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim() !== "" && !isSending) void add();
      }}
    >
      <Suspense fallback={<span className="size-44 flex-none rounded-xl bg-sunk" />}>
        <QrCode text={uri} label={strings.qrCode} />
      </Suspense>
      <div className="grid min-w-52 flex-1 gap-3">
        <p className="text-sm text-pretty text-soft">{strings.scan}</p>
        <Field
          label={strings.key}
          readOnly
          autoFocus
          dir="ltr"
          value={key.match(/.{1,4}/g)?.join(" ") ?? key}
          look="[&_input]:font-mono [&_input]:text-xs"
          onFocus={(event) => event.currentTarget.select()}
        />
        <Field
          label={strings.code}
          name="code"
          autoComplete="one-time-code"
          inputMode="numeric"
          dir="ltr"
          maxLength={10}
          value={code}
          look="rtl:[&_input]:text-right"
          onChange={(event) => setCode(event.target.value)}
        />
        {state.name === "failed" && (
          <p role="alert" className="text-sm text-danger">
            {state.text}
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <button type="button" className="plain-button" onClick={onCancel}>
            {actions.cancel}
          </button>
          <button type="submit" className="plain-button strong-button" disabled={code.trim() === "" || isSending}>
            {isSending ? strings.turningOn : strings.turnOn}
          </button>
        </div>
      </div>
    </form>
  );
};
