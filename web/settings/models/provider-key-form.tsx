import { Eye, EyeOff } from "lucide-react";
import { useState, type ReactNode } from "react";
import { escapeProps } from "../../lib/escape.ts";
import { useRequest } from "../../lib/use-request.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Field } from "../../ui/field.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { useFormDraft } from "../../state/use-form-draft.ts";
import { modelSettings as strings } from "../../strings/settings/models.ts";

type Props<T> = {
  readonly label: string;
  readonly about: ReactNode;
  /** Name of the unsaved input. */
  readonly draft: string;
  readonly save: (key: string) => Promise<{ readonly provider: T }>;
  readonly onSaved: (provider: T) => void;
  readonly onClose: () => void;
};

/** API keys are write-only. Unsaved input survives closing the form, but not the page. */
export const ProviderKeyForm = <T,>({ label, about, draft, save: saveKey, onSaved, onClose }: Props<T>) => {
  const [unsaved, setUnsaved] = useFormDraft<string>(draft, "secret");
  const [isShown, setShown] = useState(false);
  const { state, send } = useRequest();
  const key = unsaved?.trim() ?? "";
  const save = async () => {
    if (key === "") return;
    const response = await send(() => saveKey(key));
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
        about={about}
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
