import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import type { Provider } from "../../../protocol/settings/providers.ts";
import { escapeProps } from "../../lib/escape.ts";
import { usePage } from "../../state/page.ts";
import { useRequest } from "../../lib/use-request.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Field } from "../../ui/field.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { useFormDraft } from "../../state/use-form-draft.ts";
import { modelSettings as strings } from "../../strings/settings/models.ts";

type Props = {
  readonly provider: Provider;
  readonly onSaved: (provider: Provider) => void;
  readonly onClose: () => void;
};

/** API keys are write-only. Unsaved input survives closing the form, but not the page. */
export const ProviderKeyForm = ({ provider: { id, label, variable }, onSaved, onClose }: Props) => {
  const { client } = usePage();
  const [unsaved, setUnsaved] = useFormDraft<string>(`key.${id}`, "secret");
  const [isShown, setShown] = useState(false);
  const { state, send } = useRequest();
  const key = unsaved?.trim() ?? "";
  const save = async () => {
    if (key === "") return;
    const response = await send(() => client.setProviderKey({ params: { provider: id }, body: { key } }));
    if (!response) return;
    setUnsaved(null);
    onSaved(response.provider);
  };
  const Icon = isShown ? EyeOff : Eye;
  return (
    <form
      aria-label={strings.keyForm.label(label)}
      className="grid gap-3 pt-1"
      {...escapeProps(onClose)}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field
        label={strings.keyForm.label(label)}
        about={
          <>
            {strings.keyForm.about} <code className="font-mono">{variable}</code>
          </>
        }
        autoFocus
        type={isShown ? "text" : "password"}
        autoComplete="off"
        spellCheck={false}
        maxLength={10_000}
        value={unsaved ?? ""}
        onChange={(event) => setUnsaved(event.target.value)}
      >
        <IconButton label={isShown ? strings.keyForm.hide : strings.keyForm.show} onClick={() => setShown(!isShown)}>
          <Icon aria-hidden="true" className="size-4" />
        </IconButton>
      </Field>
      <FormEnd
        state={state}
        isReady={key !== ""}
        onCancel={() => {
          setUnsaved(null);
          onClose();
        }}
      />
    </form>
  );
};
