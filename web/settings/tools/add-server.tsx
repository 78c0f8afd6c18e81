import { Plus } from "lucide-react";
import { useState } from "react";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import { leaveBy } from "../../lib/escape.ts";
import { usePage } from "../../state/page.ts";
import { useRequest } from "../../lib/use-request.ts";
import { Field } from "../../ui/field.tsx";
import { FormMessage } from "../../ui/form-message.tsx";
import { useTyped } from "../../state/use-typed.ts";

type Props = {
  /** Names in use. */
  readonly names: readonly string[];
  readonly onAdded: (servers: readonly ServerStatus[]) => void;
};

type Form = { readonly name: string; readonly url: string };

const none: Form = { name: "", url: "" };

/** Adds an MCP server by URL, for this user. Local programs are set up by the operator. */
export const AddServer = ({ names, onAdded }: Props) => {
  const { client } = usePage();
  const [typed, type] = useTyped<Form>("server");
  const [isOpen, setOpen] = useState(typed !== null);
  const { state, send } = useRequest();
  const form = typed ?? none;
  const name = form.name.trim();
  const isTaken = names.includes(name);
  const fault =
    name === "" || /^[a-zA-Z0-9][\w-]{0,29}$/.test(name) ? null : "Up to 30 letters, digits, - and _, without spaces.";
  const add = async () => {
    if (fault !== null || name === "") return;
    const answer = await send(() => client.addServer({ params: {}, body: { name, url: form.url.trim() } }));
    if (!answer) return;
    type(null);
    setOpen(false);
    onAdded(answer.servers);
  };
  if (!isOpen) {
    return (
      <div className="mt-2 flex items-center gap-3">
        <button type="button" className="plain-button" onClick={() => setOpen(true)}>
          <Plus aria-hidden="true" className="size-4" />
          Add a server
        </button>
        <FormMessage state={state} done="Added" />
      </div>
    );
  }
  return (
    <form
      aria-label="Add a server"
      className="mt-2 grid gap-3 rounded-2xl bg-raised px-4 py-3.5"
      {...leaveBy(() => setOpen(false))}
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-[12rem_1fr]">
        <Field
          label="Name"
          autoFocus
          placeholder="notes"
          spellCheck={false}
          autoCapitalize="off"
          maxLength={30}
          value={form.name}
          fault={fault}
          {...(isTaken ? { about: "There is one of this name: its address will be replaced." } : {})}
          onChange={(event) => type({ ...form, name: event.target.value })}
        />
        <Field
          label="Address"
          about="Starts with https://. One of your own network has to be allowed by the operator."
          type="url"
          inputMode="url"
          dir="ltr"
          placeholder="https://mcp.example.com/mcp"
          spellCheck={false}
          maxLength={2000}
          value={form.url}
          onChange={(event) => type({ ...form, url: event.target.value })}
        />
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2">
        <FormMessage state={state} sending="Adding…" done="" />
        <button
          type="button"
          className="plain-button"
          onClick={() => {
            type(null);
            setOpen(false);
          }}
        >
          Cancel
        </button>
        <button
          type="submit"
          className="plain-button strong-button"
          disabled={name === "" || fault !== null || form.url.trim() === "" || state.name === "sending"}
        >
          Add
        </button>
      </div>
    </form>
  );
};
