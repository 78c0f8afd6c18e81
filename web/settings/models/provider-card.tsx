import { CircleAlert, CircleCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Provider, ProviderTest } from "../../../protocol/settings/providers.ts";
import { toMoment } from "../../lib/time.ts";
import { usePage } from "../../state/page.ts";
import { useRequest } from "../../lib/use-request.ts";
import { Badge } from "../../ui/badge.tsx";
import Confirm from "../../ui/confirm.tsx";
import { describeKey, describeState } from "./describe-provider.ts";
import { ProviderKeyForm } from "./provider-key-form.tsx";
import { ServerForm } from "./server-form.tsx";
import { actions } from "../../strings/actions.ts";
import { toPageText } from "../../labels/notices.ts";
import { modelSettings as strings } from "../../strings/settings/models.ts";

type Props = {
  readonly provider: Provider;
  /** It was just added: its card, with the result of the test, is scrolled to and focused. */
  readonly isAdded?: boolean;
  readonly onChanged: (provider: Provider) => void;
};
type Form = "key" | "address" | null;

/** One provider: state, key, address, and a connection test. */
export const ProviderCard = ({ provider, isAdded = false, onChanged }: Props) => {
  const { client } = usePage();
  const { id, label, note, isReady, lastTest, key, address } = provider;
  const params = { provider: id };
  const [form, setForm] = useState<Form>(null);
  const [isRemoving, setRemoving] = useState(false);
  const isServer = address === "here";
  const box = useRef<HTMLLIElement>(null);
  const testing = useRequest();
  const removing = useRequest();
  const { tone, text } = describeState(provider);
  useEffect(() => {
    if (!isAdded) return;
    box.current?.scrollIntoView({ block: "center" });
    box.current?.focus({ preventScroll: true });
  }, [isAdded]);

  const test = async () => {
    const response = await testing.send(() => client.testProvider({ params, body: {} }));
    if (response) onChanged(response.provider);
  };
  const remove = async () => {
    setRemoving(false);
    const removeSetting = isServer ? client.removeProviderAddress : client.removeProviderKey;
    const response = await removing.send(() => removeSetting({ params }));
    if (response) onChanged(response.provider);
  };
  const close = () => {
    setForm(null);
    requestAnimationFrame(() => box.current?.querySelector("button")?.focus());
  };
  const finish = (next: Provider) => {
    onChanged(next);
    close();
    void test();
  };
  return (
    <li
      ref={box}
      tabIndex={-1}
      aria-label={label}
      className="grid gap-2 rounded-2xl bg-raised px-4 py-3.5 [&>*]:min-w-0"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 className="font-medium">{label}</h3>
        <Badge tone={tone}>{text}</Badge>
        <span className="ms-auto flex flex-wrap gap-1 max-sm:w-full">
          <Buttons provider={provider} form={form} onOpen={setForm} />
          {isReady && (
            <CardButton
              of={label}
              isBusy={testing.state.name === "sending"}
              onClick={() => void test()}
              text={testing.state.name === "sending" ? strings.card.testing : strings.card.test}
            />
          )}
          {(key === "here" || address === "here" || (key === "environment" && note !== null)) && (
            <CardButton
              of={label}
              isBusy={removing.state.name === "sending"}
              onClick={() => setRemoving(true)}
              text={actions.remove}
            />
          )}
        </span>
      </div>
      <About provider={provider} />
      {note !== null && <p className="rounded-xl bg-warn-wash px-3 py-2 text-sm">{note}</p>}
      <div role="status" className="empty:hidden">
        {lastTest && <TestResult test={lastTest} />}
      </div>
      {[testing.state, removing.state].map((state, index) =>
        state.name === "failed" ? (
          <p key={index} role="alert" className="text-sm text-danger">
            {state.text}
          </p>
        ) : null,
      )}
      {form === "key" && (
        <ProviderKeyForm
          label={label}
          about={
            <>
              {strings.keyForm.about} <code className="font-mono">{provider.variable}</code>
            </>
          }
          draft={`key.${id}`}
          save={(value) => client.setProviderKey({ params, body: { key: value } })}
          onSaved={finish}
          onClose={close}
        />
      )}
      {form === "address" && <ServerForm provider={provider} onSaved={finish} onClose={close} />}
      {isRemoving && (
        <Confirm
          title={(isServer ? strings.card.removeServerTitle : strings.card.removeKeyTitle)(label)}
          text={isServer ? strings.card.removeServerText : strings.card.removeKeyText}
          action={actions.remove}
          onConfirm={() => void remove()}
          onClose={() => setRemoving(false)}
        />
      )}
    </li>
  );
};

/** Its address, key and headers. */
const About = ({ provider }: Pick<Props, "provider">) => (
  <p className="text-sm text-pretty text-soft">
    {provider.baseUrl !== null && (
      <>
        <span className="font-mono text-xs wrap-anywhere text-ink">{provider.baseUrl}</span>
        {" · "}
        {provider.address === "environment" && <>{strings.card.operatorAddress} </>}
      </>
    )}
    {describeKey(provider)}
    {provider.headers.length > 0 && <> {strings.card.headers(provider.headers.length)}.</>}
  </p>
);

type ButtonsProps = {
  readonly provider: Provider;
  readonly form: Form;
  readonly onOpen: (form: Form) => void;
};

/** Settings made by the operator cannot be changed here. */
const Buttons = ({ provider: { label, kind, key, address, takesAddress, baseUrl }, form, onOpen }: ButtonsProps) => (
  <>
    {takesAddress && address !== "environment" && form !== "address" && (
      <CardButton
        of={label}
        onClick={() => onOpen("address")}
        text={address === "none" ? strings.card.addAddress : strings.card.changeAddress}
      />
    )}
    {key !== "environment" && form !== "key" && (kind === "hosted" || baseUrl !== null) && (
      <CardButton
        of={label}
        onClick={() => onOpen("key")}
        text={key === "none" ? strings.card.addKey : strings.card.replaceKey}
      />
    )}
  </>
);

type SmallProps = {
  /** Provider name for screen readers. */
  readonly of: string;
  readonly text: string;
  readonly isBusy?: boolean;
  readonly onClick: () => void;
};

export const CardButton = ({ of, text, isBusy = false, onClick }: SmallProps) => (
  <button
    type="button"
    aria-label={strings.card.actionFor(text, of)}
    disabled={isBusy}
    className="plain-button min-h-8 px-3 pointer-coarse:min-h-10"
    onClick={onClick}
  >
    {text}
  </button>
);

export const TestResult = ({ test }: { readonly test: ProviderTest }) => {
  const isGood = test.outcome === "ok";
  const Icon = isGood ? CircleCheck : CircleAlert;
  return (
    <p className="flex items-start gap-2 text-sm">
      <Icon aria-hidden="true" className={`mt-0.5 size-4 flex-none ${isGood ? "text-good" : "text-danger"}`} />
      <span className="min-w-0 wrap-anywhere">
        {toPageText(test)}{" "}
        <span className="text-xs whitespace-nowrap text-soft">{strings.card.tested(toMoment(test.at))}</span>
      </span>
    </p>
  );
};
