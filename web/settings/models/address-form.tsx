import type { Provider } from "../../../protocol/settings/providers.ts";
import { leaveBy } from "../../lib/escape.ts";
import { usePage } from "../../state/page.ts";
import { useRequest } from "../../lib/use-request.ts";
import { Field } from "../../ui/field.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { useFormDraft } from "../../state/use-form-draft.ts";
import { modelSettings as strings } from "../../strings/settings/models.ts";

type Props = {
  readonly provider: Provider;
  readonly onSaved: (provider: Provider) => void;
  readonly onClose: () => void;
};

type Address = { readonly baseUrl: string; readonly models: string };

/** Base URL of an OpenAI-compatible server. */
export const AddressForm = ({ provider, onSaved, onClose }: Props) => {
  const { client } = usePage();
  const { id, label, baseUrl, modelNames } = provider;
  const [unsaved, setUnsaved] = useFormDraft<Address>(`address.${id}`);
  const { state, send } = useRequest();
  const form = unsaved ?? { baseUrl: baseUrl ?? "", models: modelNames.join(", ") };
  const save = async () => {
    const body = { baseUrl: form.baseUrl.trim(), models: form.models.split(/[\s,]+/).filter((name) => name !== "") };
    const response = await send(() => client.setProviderAddress({ params: { provider: id }, body }));
    if (!response) return;
    setUnsaved(null);
    onSaved(response.provider);
  };
  return (
    <form
      aria-label={strings.addressForm.label(label)}
      className="grid gap-3 pt-1"
      {...leaveBy(onClose)}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field
        label={strings.addressForm.address}
        about={strings.addressForm.addressAbout}
        autoFocus
        type="url"
        inputMode="url"
        dir="ltr"
        placeholder={strings.addressForm.addressExample}
        spellCheck={false}
        maxLength={2000}
        value={form.baseUrl}
        onChange={(event) => setUnsaved({ ...form, baseUrl: event.target.value })}
      />
      <Field
        label={strings.addressForm.models}
        about={strings.addressForm.modelsAbout}
        dir="ltr"
        spellCheck={false}
        value={form.models}
        onChange={(event) => setUnsaved({ ...form, models: event.target.value })}
      />
      <FormEnd
        state={state}
        isReady={form.baseUrl.trim() !== ""}
        onCancel={() => {
          setUnsaved(null);
          onClose();
        }}
      />
    </form>
  );
};
