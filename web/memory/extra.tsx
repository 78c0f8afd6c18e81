import { Plus, X } from "lucide-react";
import { useState } from "react";
import { memory as strings } from "../strings/memory.ts";
import { fieldLook } from "../ui/field.tsx";
import { IconButton } from "../ui/icon-button.tsx";

/** An entry of the field `extra`, which is stored as a JSON object. `raw` is the stored value, until the text is edited. */
type Entry = { readonly name: string; readonly text: string; readonly raw?: unknown };

/** Empty if the text is not a JSON object. */
export function readExtra(value: string): readonly Entry[] {
  try {
    const parsed: unknown = JSON.parse(value || "{}");
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return [];
    return Object.entries(parsed).map(([name, raw]) => ({ name, text: toText(raw), raw: raw as unknown }));
  } catch {
    return [];
  }
}

const toText = (raw: unknown): string => (typeof raw === "string" ? raw : JSON.stringify(raw));

/** The value as text, one entry per line. */
export const describeExtra = (value: string): string =>
  readExtra(value)
    .map(({ name, text }) => strings.extra.entry(name, text))
    .join("\n") || value;

const toJson = (entries: readonly Entry[]): string =>
  JSON.stringify(
    Object.fromEntries(
      entries.flatMap(({ name, text, raw }) =>
        name.trim() === "" ? [] : [[name.trim(), raw === undefined ? text : raw]],
      ),
    ),
  );

type Props = { readonly label: string; readonly value: string; readonly onChange: (value: string) => void };

/** Edits `extra` as named entries. */
export const ExtraFields = ({ label, value, onChange }: Props) => {
  const [entries, setEntries] = useState<readonly Entry[]>(() => [...readExtra(value), { name: "", text: "" }]);
  const write = (next: readonly Entry[]) => {
    setEntries(next);
    onChange(toJson(next));
  };
  const edit = (at: number, patch: Partial<Entry>) =>
    write(entries.map((entry, index) => (index === at ? { ...entry, ...patch } : entry)));
  return (
    <fieldset aria-label={label} className="grid min-w-0 gap-1.5">
      {entries.map(({ name, text }, at) => (
        <div key={at} className="flex items-center gap-1.5">
          <input
            autoFocus={at === entries.length - 1}
            dir="auto"
            // The browser reports it on saving: an entry without a name cannot be stored.
            ref={(field) =>
              field?.setCustomValidity(name.trim() === "" && text.trim() !== "" ? strings.extra.nameMissing : "")
            }
            aria-label={strings.extra.name(at + 1)}
            placeholder={strings.extra.nameHint}
            value={name}
            maxLength={100}
            onChange={(event) => edit(at, { name: event.target.value })}
            className={`${fieldLook} max-w-[40%]`}
          />
          <input
            dir="auto"
            aria-label={strings.extra.value(at + 1)}
            placeholder={strings.extra.valueHint}
            value={text}
            maxLength={1000}
            onChange={(event) => edit(at, { text: event.target.value, raw: undefined })}
            className={fieldLook}
          />
          <IconButton label={strings.extra.remove(at + 1)} onClick={() => write(entries.toSpliced(at, 1))}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </div>
      ))}
      <button
        type="button"
        className="plain-button justify-self-start"
        onClick={() => setEntries([...entries, { name: "", text: "" }])}
      >
        <Plus aria-hidden="true" className="size-3.5" />
        {strings.extra.add}
      </button>
    </fieldset>
  );
};
