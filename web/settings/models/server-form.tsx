import { useState } from "react";
import type { BodyInput } from "../../../protocol/api.ts";
import type { Provider } from "../../../protocol/settings/providers.ts";
import { escapeProps } from "../../lib/escape.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { useFormDraft } from "../../state/use-form-draft.ts";
import { modelSettings } from "../../strings/settings/models.ts";
import { Field } from "../../ui/field.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { HeadersField } from "../headers-field.tsx";
import { readHeaders, toAddress, toServerId } from "./server-id.ts";
import { joinList } from "../../lib/format.ts";

const strings = modelSettings.addressForm;

type Props = {
  /** Absent: a new server. */
  readonly provider?: Provider;
  readonly takenIds?: readonly string[];
  readonly onSaved: (provider: Provider) => void;
  readonly onClose: () => void;
};

type Form = { readonly name: string; readonly baseUrl: string; readonly models: string };
type Secrets = { readonly key: string; readonly headers: string };

/** Name, address, models and headers of an OpenAI-compatible server; for Azure and Bedrock only address and models. */
export const ServerForm = ({ provider, takenIds = [], onSaved, onClose }: Props) => {
  const { client, session } = usePage();
  const isNew = provider === undefined;
  const isHosted = provider?.kind === "hosted";
  const [unsaved, setUnsaved] = useFormDraft<Form>(`address.${provider?.id ?? "new"}`);
  const [secrets, setSecrets] = useState<Secrets>({ key: "", headers: "" });
  const { state, send } = useRequest();
  const form = unsaved ?? toForm(provider);
  const id = provider?.id ?? toServerId(form.name);
  const headers = readHeaders(secrets.headers);
  const isTaken = isNew && takenIds.includes(id);
  const save = async () => {
    const params = { provider: id };
    const body = toBody(form, { isHosted, headers: secrets.headers.trim() === "" ? null : headers });
    const response = await send(async () => {
      const set = await client.setProviderAddress({ params, body });
      const key = secrets.key.trim();
      if (key !== "") await client.setProviderKey({ params, body: { key } });
      if (isNew) await client.testProvider({ params, body: {} });
      return set;
    });
    if (!response) return;
    setUnsaved(null);
    await session.load();
    onSaved(response.provider);
  };
  const label = isNew ? strings.newServer : strings.label(provider.label);
  const about = { azure: strings.azureAbout, bedrock: strings.bedrockAbout }[id] ?? strings.addressAbout;
  return (
    <form
      aria-label={label}
      className="grid gap-3 pt-1"
      {...escapeProps(onClose)}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {!isHosted && (
        <Field
          label={strings.name}
          about={strings.nameAbout}
          fault={isTaken ? strings.nameTaken : null}
          autoFocus={isNew}
          maxLength={60}
          placeholder={strings.nameExample}
          value={form.name}
          onChange={(event) => setUnsaved({ ...form, name: event.target.value })}
        />
      )}
      <Field
        label={strings.address}
        about={about}
        autoFocus={!isNew}
        inputMode="url"
        dir="ltr"
        placeholder={isHosted ? undefined : strings.addressExample}
        spellCheck={false}
        maxLength={2000}
        value={form.baseUrl}
        onChange={(event) => setUnsaved({ ...form, baseUrl: event.target.value })}
      />
      {isNew && <KeyField value={secrets.key} onChange={(key) => setSecrets({ ...secrets, key })} />}
      <Disclosure label={strings.more}>
        <div className="grid gap-3 pt-2">
          <Field
            label={strings.models}
            about={strings.modelsAbout}
            dir="ltr"
            spellCheck={false}
            value={form.models}
            onChange={(event) => setUnsaved({ ...form, models: event.target.value })}
          />
          {!isHosted && (
            <HeadersField
              label={strings.headers}
              about={provider?.headers.length ? strings.headersSet(joinList(provider.headers)) : strings.headersAbout}
              value={secrets.headers}
              isValid={headers !== null}
              onChange={(text) => setSecrets({ ...secrets, headers: text })}
            />
          )}
        </div>
      </Disclosure>
      <FormEnd
        state={state}
        isReady={form.baseUrl.trim() !== "" && id !== "" && !isTaken && headers !== null}
        onCancel={() => {
          setUnsaved(null);
          onClose();
        }}
      />
    </form>
  );
};

type KeyProps = { readonly value: string; readonly onChange: (value: string) => void };

const KeyField = ({ value, onChange }: KeyProps) => (
  <Field
    label={strings.key}
    about={strings.keyAbout}
    type="password"
    autoComplete="off"
    spellCheck={false}
    maxLength={10_000}
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
);

const toForm = (provider: Provider | undefined): Form => ({
  name: provider?.label ?? "",
  baseUrl: provider?.baseUrl ?? "",
  models: provider?.modelNames.join(", ") ?? "",
});

type BodyOptions = { readonly isHosted: boolean; readonly headers: Readonly<Record<string, string>> | null };

/** `headers` null: they stay as they are. */
const toBody = (form: Form, { isHosted, headers }: BodyOptions): BodyInput<"setProviderAddress"> => ({
  baseUrl: toAddress(form.baseUrl),
  models: form.models.split(/[\s,]+/).filter((name) => name !== ""),
  ...(isHosted || form.name.trim() === "" ? {} : { label: form.name.trim() }),
  ...(headers === null ? {} : { headers }),
});
