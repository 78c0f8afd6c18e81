import { Plus } from "lucide-react";
import { useState } from "react";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import { escapeProps } from "../../lib/escape.ts";
import { usePage } from "../../state/page.ts";
import { useRequest } from "../../lib/use-request.ts";
import { Field } from "../../ui/field.tsx";
import { FormMessage } from "../../ui/form-message.tsx";
import { useFormDraft } from "../../state/use-form-draft.ts";
import { actions } from "../../strings/actions.ts";
import { HeadersField } from "../headers-field.tsx";
import { readHeaders } from "../models/server-id.ts";
import { toolSettings as strings } from "../../strings/settings/tools.ts";
import { ui } from "../../strings/ui.ts";

type Props = {
  /** Names in use. */
  readonly names: readonly string[];
  readonly onAdded: (servers: readonly ServerStatus[]) => void;
};

type Form = { readonly name: string; readonly url: string };

const emptyForm: Form = { name: "", url: "" };

/** Adds an MCP server by URL, for this user. Local programs are set up by the operator. */
export const AddServer = ({ names, onAdded }: Props) => {
  const { client } = usePage();
  const [unsaved, setUnsaved] = useFormDraft<Form>("server");
  const [isOpen, setOpen] = useState(unsaved !== null);
  const [secrets, setSecrets] = useState("");
  const headers = readHeaders(secrets);
  const { state, send } = useRequest();
  const form = unsaved ?? emptyForm;
  const name = form.name.trim();
  const isTaken = names.includes(name);
  const nameError = name === "" || /^[a-zA-Z0-9][\w-]{0,29}$/.test(name) ? null : strings.add.nameInvalid;
  const add = async () => {
    if (nameError !== null || name === "" || headers === null) return;
    const body = { name, url: form.url.trim(), headers };
    const response = await send(() => client.addServer({ params: {}, body }));
    if (!response) return;
    setSecrets("");
    setUnsaved(null);
    setOpen(false);
    onAdded(response.servers);
  };
  if (!isOpen) {
    return (
      <div className="mt-2 flex items-center gap-3">
        <button type="button" className="plain-button" onClick={() => setOpen(true)}>
          <Plus aria-hidden="true" className="size-4" />
          {strings.add.open}
        </button>
        <FormMessage state={state} done={strings.add.added} />
      </div>
    );
  }
  return (
    <form
      aria-label={strings.add.open}
      className="mt-2 grid gap-3 rounded-2xl bg-raised px-4 py-3.5"
      {...escapeProps(() => setOpen(false))}
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <ServerFields form={form} nameError={nameError} isTaken={isTaken} onChange={setUnsaved} />
      <HeadersField
        label={strings.add.headers}
        about={strings.add.headersAbout}
        value={secrets}
        isValid={headers !== null}
        onChange={setSecrets}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <FormMessage state={state} sending={strings.add.adding} done="" />
        <button
          type="button"
          className="plain-button"
          onClick={() => {
            setUnsaved(null);
            setSecrets("");
            setOpen(false);
          }}
        >
          {actions.cancel}
        </button>
        <button
          type="submit"
          className="plain-button strong-button"
          disabled={
            name === "" || nameError !== null || headers === null || form.url.trim() === "" || state.name === "sending"
          }
        >
          {strings.add.submit}
        </button>
      </div>
    </form>
  );
};

type FieldsProps = {
  readonly form: Form;
  readonly nameError: string | null;
  readonly isTaken: boolean;
  readonly onChange: (form: Form) => void;
};

const ServerFields = ({ form, nameError, isTaken, onChange }: FieldsProps) => (
  <div className="grid gap-3 sm:grid-cols-[12rem_1fr]">
    <Field
      label={strings.add.name}
      autoFocus
      placeholder={strings.add.nameExample}
      spellCheck={false}
      autoCapitalize="off"
      maxLength={30}
      value={form.name}
      fault={nameError}
      {...(isTaken ? { about: strings.add.nameTaken } : {})}
      onChange={(event) => onChange({ ...form, name: event.target.value })}
    />
    <Field
      label={strings.add.address}
      about={strings.add.addressAbout}
      type="url"
      pattern="[^:]*://.*"
      mismatch={ui.addressMismatch}
      inputMode="url"
      dir="ltr"
      placeholder={strings.add.addressExample}
      spellCheck={false}
      maxLength={2000}
      value={form.url}
      onChange={(event) => onChange({ ...form, url: event.target.value })}
    />
  </div>
);
