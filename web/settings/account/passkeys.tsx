import { Fingerprint, Pencil } from "lucide-react";
import { useEffect, useState } from "react";
import type { Passkey } from "../../../protocol/account/factors.ts";
import { addPasskey, findPasskeyFault, loadPasskeys } from "../../account/passkey.ts";
import { toDay, toRelativeTime } from "../../lib/time.ts";
import { useNow } from "../../lib/use-now.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { factors } from "../../strings/account/factors.ts";
import { Field } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { RenameField } from "../../ui/rename-field.tsx";
import { Quiet, Section } from "../../ui/section.tsx";
import { Deletable } from "../deletable.tsx";
import { describeDevice } from "./device.ts";
import type { SendConfirmed } from "./use-confirmed.tsx";

const strings = factors.passkeys;
/** Limit of the server. */
const nameCharacters = 100;

type Props = {
  readonly passkeys: readonly Passkey[];
  readonly origin: string | null;
  readonly sendConfirmed: SendConfirmed;
  /** Called after a change, which may have ended other sessions. */
  readonly onChanged: () => void;
};

/** The user's passkeys. The list stays usable where the browser has none. */
export const Passkeys = ({ passkeys, origin, sendConfirmed, onChanged }: Props) => {
  const fault = findPasskeyFault(origin);
  return (
    <Section title={strings.title} count={passkeys.length}>
      <Quiet>{strings.about}</Quiet>
      <ul aria-label={strings.title} className="mt-1 grid gap-2 empty:hidden">
        {passkeys.map((passkey) => (
          <li key={passkey.id} aria-label={passkey.name}>
            <PasskeyRow passkey={passkey} sendConfirmed={sendConfirmed} onChanged={onChanged} />
          </li>
        ))}
      </ul>
      {fault === null ? <AddForm sendConfirmed={sendConfirmed} onAdded={onChanged} /> : <Quiet>{fault}</Quiet>}
    </Section>
  );
};

type AddProps = { readonly sendConfirmed: SendConfirmed; readonly onAdded: () => void };

const AddForm = ({ sendConfirmed, onAdded }: AddProps) => {
  const { client } = usePage();
  const [name, setName] = useState(() => describeDevice(navigator.userAgent));
  const { state, send } = useRequest();
  const canSend = name.trim() !== "" && state.name !== "sending";
  useEffect(() => {
    // A failure is reported when the button is pressed.
    loadPasskeys().catch(() => undefined);
  }, []);
  const add = async () => {
    const isDone = await send(async () => {
      await sendConfirmed(() => addPasskey(client, name.trim()));
      return true;
    });
    if (isDone) onAdded();
  };
  return (
    <form
      aria-label={strings.add}
      className="mt-2 flex flex-wrap items-end gap-2 rounded-2xl bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) void add();
      }}
    >
      <Field
        label={strings.name}
        dir="auto"
        maxLength={nameCharacters}
        value={name}
        look="min-w-48 flex-1"
        onChange={(event) => setName(event.target.value)}
      />
      <button type="submit" className="plain-button strong-button" disabled={!canSend}>
        {state.name === "sending" ? strings.adding : strings.add}
      </button>
      {state.name === "failed" && (
        <p role="alert" className="basis-full text-sm text-danger">
          {state.text}
        </p>
      )}
    </form>
  );
};

type RowProps = { readonly passkey: Passkey; readonly sendConfirmed: SendConfirmed; readonly onChanged: () => void };

const PasskeyRow = ({ passkey: { id, name, createdAt, usedAt }, sendConfirmed, onChanged }: RowProps) => {
  const { client } = usePage();
  const now = useNow();
  const [isRenaming, setRenaming] = useState(false);
  const { state, send } = useRequest();
  const params = { passkeyId: id };
  const rename = async (next: string | null) => {
    setRenaming(false);
    if (next === null) return;
    if (await send(() => client.renamePasskey({ params, body: { name: next } }))) onChanged();
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-2xl bg-raised px-4 py-3">
      <Deletable
        label={strings.remove(name)}
        title={strings.removeTitle}
        text={strings.removeAbout}
        action={strings.removeAction}
        send={() => sendConfirmed(() => client.removePasskey({ params }))}
        onDeleted={onChanged}
      >
        {(button) => (
          <>
            <Fingerprint aria-hidden="true" className="size-4.5 flex-none text-soft" />
            <div className="min-w-0 flex-1">
              {isRenaming ? (
                <RenameField
                  label={strings.name}
                  title={name}
                  longest={nameCharacters}
                  className="h-8 w-full min-w-0 rounded-lg bg-sunk px-2 text-sm pointer-coarse:h-11 pointer-coarse:text-base"
                  onDone={(next) => void rename(next)}
                />
              ) : (
                <h3 className="font-medium">
                  <bdi className="wrap-anywhere">{name}</bdi>
                </h3>
              )}
              <p className="text-xs text-soft">
                {strings.added(toDay(createdAt))} ·{" "}
                {usedAt === null ? strings.neverUsed : strings.used(toRelativeTime(usedAt, now))}
              </p>
            </div>
            <IconButton label={strings.rename(name)} onClick={() => setRenaming(true)}>
              <Pencil aria-hidden="true" className="size-4" />
            </IconButton>
            {button}
          </>
        )}
      </Deletable>
      {state.name === "failed" && (
        <p role="alert" className="basis-full text-sm text-danger">
          {state.text}
        </p>
      )}
    </div>
  );
};
