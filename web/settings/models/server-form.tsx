import { useState } from "react";
import type { BodyInput } from "../../../protocol/api.ts";
import type { Provider } from "../../../protocol/settings/providers.ts";
import { leaveBy } from "../../lib/escape.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { useFormDraft } from "../../state/use-form-draft.ts";
import { modelSettings } from "../../strings/settings/models.ts";
import { Field, fieldLook } from "../../ui/field.tsx";
import { Fold } from "../../ui/fold.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { readHeaders, toServerId } from "./server-id.ts";

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
  const form = unsaved ?? {
    name: isNew ? "" : provider.label,
    baseUrl: provider?.baseUrl ?? "",
    models: provider?.modelNames.join(", ") ?? "",
  };
  const id = provider?.id ?? toServerId(form.name);
  const headers = readHeaders(secrets.headers);
  const isTaken = isNew && takenIds.includes(id);
  const save = async () => {
    const params = { provider: id };
    const body: BodyInput<"setProviderAddress"> = {
      baseUrl: form.baseUrl.trim(),
      models: form.models.split(/[\s,]+/).filter((name) => name !== ""),
      ...(isHosted || form.name.trim() === "" ? {} : { label: form.name.trim() }),
      ...(headers === null || secrets.headers.trim() === "" ? {} : { headers }),
    };
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
      {...leaveBy(onClose)}
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
        type="url"
        inputMode="url"
        dir="ltr"
        placeholder={isHosted ? undefined : strings.addressExample}
        spellCheck={false}
        maxLength={2000}
        value={form.baseUrl}
        onChange={(event) => setUnsaved({ ...form, baseUrl: event.target.value })}
      />
      {isNew && (
        <Field
          label={strings.key}
          about={strings.keyAbout}
          type="password"
          autoComplete="off"
          spellCheck={false}
          maxLength={10_000}
          value={secrets.key}
          onChange={(event) => setSecrets({ ...secrets, key: event.target.value })}
        />
      )}
      <Fold label={strings.more}>
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
              value={secrets.headers}
              names={provider?.headers ?? []}
              isValid={headers !== null}
              onChange={(text) => setSecrets({ ...secrets, headers: text })}
            />
          )}
        </div>
      </Fold>
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

type HeadersProps = {
  readonly value: string;
  readonly names: readonly string[];
  readonly isValid: boolean;
  readonly onChange: (text: string) => void;
};

const HeadersField = ({ value, names, isValid, onChange }: HeadersProps) => (
  <label className="grid gap-1">
    <span className="text-xs font-medium text-soft">{strings.headers}</span>
    <textarea
      rows={3}
      dir="ltr"
      spellCheck={false}
      aria-invalid={!isValid || undefined}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={`${fieldLook} h-auto py-2 font-mono`}
    />
    <span className={`text-xs ${isValid ? "text-soft" : "text-danger"}`}>
      {isValid
        ? names.length > 0
          ? strings.headersSet(names.join(", "))
          : strings.headersAbout
        : strings.headersFault}
    </span>
  </label>
);
