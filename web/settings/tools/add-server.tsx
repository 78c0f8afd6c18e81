import { Plus } from "lucide-react";
import { useState } from "react";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import { leaveBy } from "../../lib/escape.ts";
import { usePage } from "../../state/page.ts";
import { useRequest } from "../../lib/use-request.ts";
import { Field } from "../../ui/field.tsx";
import { FormMessage } from "../../ui/form-message.tsx";
import { useFormDraft } from "../../state/use-form-draft.ts";
import { actions } from "../../strings/actions.ts";
import { toolSettings as strings } from "../../strings/settings/tools.ts";

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
  const { state, send } = useRequest();
  const form = unsaved ?? emptyForm;
  const name = form.name.trim();
  const isTaken = names.includes(name);
  const nameError = name === "" || /^[a-zA-Z0-9][\w-]{0,29}$/.test(name) ? null : strings.add.nameInvalid;
  const add = async () => {
    if (nameError !== null || name === "") return;
    const response = await send(() => client.addServer({ params: {}, body: { name, url: form.url.trim() } }));
    if (!response) return;
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
      {...leaveBy(() => setOpen(false))}
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
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
          onChange={(event) => setUnsaved({ ...form, name: event.target.value })}
        />
        <Field
          label={strings.add.address}
          about={strings.add.addressAbout}
          type="url"
          inputMode="url"
          dir="ltr"
          placeholder={strings.add.addressExample}
          spellCheck={false}
          maxLength={2000}
          value={form.url}
          onChange={(event) => setUnsaved({ ...form, url: event.target.value })}
        />
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2">
        <FormMessage state={state} sending={strings.add.adding} done="" />
        <button
          type="button"
          className="plain-button"
          onClick={() => {
            setUnsaved(null);
            setOpen(false);
          }}
        >
          {actions.cancel}
        </button>
        <button
          type="submit"
          className="plain-button strong-button"
          disabled={name === "" || nameError !== null || form.url.trim() === "" || state.name === "sending"}
        >
          {strings.add.submit}
        </button>
      </div>
    </form>
  );
};
