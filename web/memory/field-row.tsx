import { Pencil, Trash2 } from "lucide-react";
import { useCallback, useRef, useState } from "react";
import type { MemoryField, MemoryValue } from "../../protocol/memory.ts";
import { createId } from "../lib/ids.ts";
import { fieldWords } from "../labels/context.ts";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { escapeProps } from "../lib/escape.ts";
import { toDay } from "../lib/time.ts";
import { describeExtra, ExtraFields } from "./extra.tsx";
import { SourceLink } from "./source-link.tsx";
import { actions } from "../strings/actions.ts";
import { memory as strings } from "../strings/memory.ts";

type Props = {
  readonly field: MemoryField;
  readonly remembered: MemoryValue | null;
  readonly onChanged: () => void;
  readonly onForget: () => void;
};

/** One memory field: its value, date and source. */
export const FieldRow = ({ field, remembered, onChanged, onForget }: Props) => {
  const [isEditing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const name = fieldWords[field];
  const close = () => {
    setEditing(false);
    requestAnimationFrame(() => button.current?.focus());
  };
  return (
    <li className="rounded-2xl bg-raised px-4 py-2.5">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1 py-1">
          <h3 className="text-xs font-medium text-soft">{name}</h3>
          {!isEditing && (
            <p dir="auto" className="mt-0.5 text-sm leading-relaxed wrap-anywhere whitespace-pre-wrap">
              {remembered ? describe(field, remembered.value) : <i className="text-soft">{strings.field.empty}</i>}
            </p>
          )}
          {!isEditing && remembered && (
            <p className="mt-1 text-xs text-soft">
              {toDay(remembered.updatedAt)} ·{" "}
              <SourceLink threadId={remembered.threadId} messageId={remembered.messageId} />
              {remembered.reason !== "" && <> · {remembered.reason}</>}
            </p>
          )}
        </div>
        {!isEditing && (
          <span className="flex flex-none">
            <IconButton
              ref={button}
              label={remembered ? strings.field.edit(name.toLowerCase()) : strings.field.add(name.toLowerCase())}
              onClick={() => setEditing(true)}
            >
              <Pencil aria-hidden="true" className="size-4" />
            </IconButton>
            {remembered && (
              <IconButton label={strings.field.forget(name.toLowerCase())} onClick={onForget}>
                <Trash2 aria-hidden="true" className="size-4" />
              </IconButton>
            )}
          </span>
        )}
      </div>
      {isEditing && (
        <Edit
          field={field}
          remembered={remembered}
          onClose={close}
          onSaved={() => {
            close();
            onChanged();
          }}
        />
      )}
    </li>
  );
};

const describe = (field: MemoryField, value: string): string => (field === "extra" ? describeExtra(value) : value);

type EditProps = {
  readonly field: MemoryField;
  readonly remembered: MemoryValue | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
};

/** The server's limit. */
const maxLength = 2000;

const Edit = ({ field, remembered, onClose, onSaved }: EditProps) => {
  const { client } = usePage();
  const [value, setValue] = useState(remembered?.value ?? (field === "extra" ? "{}" : ""));
  const [initial] = useState(remembered);
  // The version shown to the user; saving overwrites only this one.
  const [latest, setLatest] = useState(remembered);
  const [id, setId] = useState(createId);
  const { state, send } = useRequest();
  const write = (next: string) => {
    setValue(next);
    setId(createId());
  };
  const save = async () => {
    if (remembered?.changeId !== latest?.changeId) return setLatest(remembered);
    const body = { id, field, value: value.trim(), ...(latest ? { was: latest.changeId } : {}) };
    if (await send(() => client.setMemory({ params: {}, body }))) onSaved();
  };
  return (
    <form
      // The last field of a long list: its buttons are visible too.
      ref={useCallback((form: HTMLFormElement | null) => form?.scrollIntoView({ block: "nearest" }), [])}
      className="grid scroll-mb-4 gap-2 pb-1"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      {...escapeProps(onClose)}
    >
      {field === "extra" ? (
        <ExtraFields label={fieldWords[field]} value={value} onChange={write} />
      ) : (
        <textarea
          autoFocus
          dir="auto"
          rows={2}
          aria-label={fieldWords[field]}
          value={value}
          maxLength={maxLength}
          onChange={(event) => write(event.target.value)}
          className="field-sizing-content min-h-16 w-full resize-none rounded-xl bg-sunk px-3 py-2 text-sm leading-relaxed pointer-coarse:text-base"
        />
      )}
      {latest?.changeId !== initial?.changeId && (
        <p role="alert" dir="auto" className="text-sm wrap-anywhere">
          {latest ? strings.field.changedElsewhere(describe(field, latest.value)) : strings.field.forgottenElsewhere}
        </p>
      )}
      {state.name === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {state.text}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <button type="button" className="plain-button" onClick={onClose}>
          {actions.cancel}
        </button>
        <button type="submit" className="plain-button strong-button" disabled={state.name === "sending"}>
          {actions.save}
        </button>
      </div>
    </form>
  );
};
