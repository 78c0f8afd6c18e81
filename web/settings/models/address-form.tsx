import type { Provider } from "../../../protocol/settings/providers.ts";
import { leaveBy } from "../../lib/escape.ts";
import { usePage } from "../../state/page.ts";
import { useRequest } from "../../lib/use-request.ts";
import { Field } from "../../ui/field.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { useTyped } from "../../state/use-typed.ts";

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
  const [typed, type] = useTyped<Address>(`address.${id}`);
  const { state, send } = useRequest();
  const form = typed ?? { baseUrl: baseUrl ?? "", models: modelNames.join(", ") };
  const save = async () => {
    const body = { baseUrl: form.baseUrl.trim(), models: form.models.split(/[\s,]+/).filter((name) => name !== "") };
    const answer = await send(() => client.setProviderAddress({ params: { provider: id }, body }));
    if (!answer) return;
    type(null);
    onSaved(answer.provider);
  };
  return (
    <form
      aria-label={`Address of ${label}`}
      className="grid gap-3 pt-1"
      {...leaveBy(onClose)}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field
        label="Address"
        about="Of its API, most often with /v1 at the end: Ollama, vLLM, LM Studio and many others have one. One on this machine or in your own network is opened only when STONECHAT_ALLOW_PRIVATE names it, or when it is given at the start as STONECHAT_COMPATIBLE_URL."
        autoFocus
        type="url"
        inputMode="url"
        dir="ltr"
        placeholder="https://models.example.com/v1"
        spellCheck={false}
        maxLength={2000}
        value={form.baseUrl}
        onChange={(event) => type({ ...form, baseUrl: event.target.value })}
      />
      <Field
        label="Models"
        about="Only where it has no list of its own: their names, with commas between them."
        dir="ltr"
        spellCheck={false}
        value={form.models}
        onChange={(event) => type({ ...form, models: event.target.value })}
      />
      <FormEnd
        state={state}
        isReady={form.baseUrl.trim() !== ""}
        onCancel={() => {
          type(null);
          onClose();
        }}
      />
    </form>
  );
};
