import { useState } from "react";
import { scopes as allScopes, type Scope } from "../../../protocol/scopes.ts";
import { escapeProps } from "../../lib/escape.ts";
import { createId } from "../../lib/ids.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { actions } from "../../strings/actions.ts";
import { keySettings as strings } from "../../strings/settings/keys.ts";
import { Field } from "../../ui/field.tsx";
import { FormMessage } from "../../ui/form-message.tsx";
import { Select } from "../../ui/select.tsx";

export type CreatedKey = { readonly id: string; readonly name: string; readonly token: string };

const dayMs = 86_400_000;
const expiries = ["month", "quarter", "year", "never"] as const;
type Expiry = (typeof expiries)[number];
const lifetimes: Readonly<Record<Expiry, number | null>> = {
  month: 30 * dayMs,
  quarter: 90 * dayMs,
  year: 365 * dayMs,
  never: null,
};
/** The server's limit. */
const longestName = 100;

export type FormProps = {
  readonly onClose: () => void;
  readonly onCreated: (created: CreatedKey) => void;
  /** Sends the request again after a proof of who the user is, if the server asks for one. */
  readonly sendConfirmed?: <T>(request: () => Promise<T>) => Promise<T>;
};

export const ApiKeyForm = ({ onClose, onCreated, sendConfirmed = (request) => request() }: FormProps) => {
  const { client } = usePage();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read", "chat"]);
  const [expiry, setExpiry] = useState<Expiry>("quarter");
  const { state, send } = useRequest();
  const canSave = name.trim() !== "" && scopes.length > 0 && state.name !== "sending";
  const create = async () => {
    const lifetime = lifetimes[expiry];
    const expiresAt = lifetime === null ? null : Date.now() + lifetime;
    // A new id for each attempt: if an answer was lost, its key stays in the list and can be revoked.
    const body = { id: createId(), name: name.trim(), scopes: [...scopes], expiresAt };
    const answer = await send(() => sendConfirmed(() => client.createKey({ params: {}, body })));
    if (answer) onCreated({ id: answer.key.id, name: answer.key.name, token: answer.token });
  };
  return (
    <form
      aria-label={strings.add}
      className="mt-2 grid gap-4 rounded-2xl bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) void create();
      }}
      {...escapeProps(onClose)}
    >
      <Field
        label={strings.name}
        placeholder={strings.nameExample}
        autoFocus
        autoComplete="off"
        dir="auto"
        value={name}
        maxLength={longestName}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1 text-xs font-medium text-soft">{strings.scopes}</legend>
        {allScopes.map((scope) => (
          <label key={scope} className="flex items-start gap-2.5 text-sm pointer-coarse:py-1">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) =>
                setScopes(event.target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
              }
              className="mt-0.5 size-4 flex-none accent-(--accent)"
            />
            <span>
              {strings.scopeNames[scope]}
              <span className="block text-xs text-soft">{strings.scopeAbout[scope]}</span>
            </span>
          </label>
        ))}
        {scopes.length === 0 && (
          <p role="alert" className="text-xs text-danger">
            {strings.needsScope}
          </p>
        )}
      </fieldset>
      <div className="grid justify-items-start gap-1">
        <span aria-hidden="true" className="text-xs font-medium text-soft">
          {strings.expiry}
        </span>
        <Select
          label={strings.expiry}
          value={expiry}
          choices={expiries}
          words={strings.expiries}
          onChoose={setExpiry}
        />
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2">
        <FormMessage state={state} done="" />
        <button type="button" className="plain-button" onClick={onClose}>
          {actions.cancel}
        </button>
        <button type="submit" className="plain-button strong-button" disabled={!canSave}>
          {strings.create}
        </button>
      </div>
    </form>
  );
};
