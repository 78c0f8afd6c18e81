import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import type { Provider } from "../../../protocol/settings/providers.ts";
import { leaveBy } from "../../lib/escape.ts";
import { usePage } from "../../state/page.ts";
import { useRequest } from "../../lib/use-request.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Field } from "../../ui/field.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { useTyped } from "../../state/use-typed.ts";

type Props = {
  readonly provider: Provider;
  readonly onSaved: (provider: Provider) => void;
  readonly onClose: () => void;
};

/** API keys are write-only. Typed text stays in this field until it is saved. */
export const KeyForm = ({ provider: { id, label, variable }, onSaved, onClose }: Props) => {
  const { client } = usePage();
  const [typed, type] = useTyped<string>(`key.${id}`, "secret");
  const [isShown, setShown] = useState(false);
  const { state, send } = useRequest();
  const key = typed?.trim() ?? "";
  const save = async () => {
    if (key === "") return;
    const answer = await send(() => client.setProviderKey({ params: { provider: id }, body: { key } }));
    if (!answer) return;
    type(null);
    onSaved(answer.provider);
  };
  const Icon = isShown ? EyeOff : Eye;
  return (
    <form
      aria-label={`Key for ${label}`}
      className="grid gap-3 pt-1"
      {...leaveBy(onClose)}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field
        label={`Key for ${label}`}
        about={
          <>
            Sealed before it is stored, and never sent back to a page. An operator may set{" "}
            <code className="font-mono">{variable}</code> instead, which wins.
          </>
        }
        autoFocus
        type={isShown ? "text" : "password"}
        autoComplete="off"
        spellCheck={false}
        maxLength={10_000}
        value={typed ?? ""}
        onChange={(event) => type(event.target.value)}
      >
        <IconButton label={isShown ? "Hide the key" : "Show the key"} onClick={() => setShown(!isShown)}>
          <Icon aria-hidden="true" className="size-4" />
        </IconButton>
      </Field>
      <FormEnd
        state={state}
        isReady={key !== ""}
        onCancel={() => {
          type(null);
          onClose();
        }}
      />
    </form>
  );
};
