import { useEffect, useRef, useState } from "react";
import { fitHeight } from "../lib/text-field.ts";
import { useDraft, type Draft } from "../lib/use-draft.ts";

type Props = {
  readonly label: string;
  readonly value: string;
  /** Version of the entity that has the value. */
  readonly version: number;
  /** Placeholder. */
  readonly hint: string;
  readonly limit: number;
  readonly isLong?: boolean;
  readonly isNeeded?: boolean;
  readonly look?: string;
  /** Called with the version that the edit is based on. */
  readonly onSave: (value: string, version: number) => void;
};

/** A text field without a button. Blur saves, Escape discards; changes from elsewhere appear while it is not being edited. */
export const InPlace = (props: Props) => {
  const { label, value, version, hint, limit, isLong = false, isNeeded = false, look = "", onSave } = props;
  const draft = useDraft(value, version, useState<Draft | null>(null));
  const field = useRef<HTMLTextAreaElement>(null);
  const text = draft.text ?? value;
  useEffect(() => fitHeight(field.current), [text]);
  const save = () => {
    if (draft.text === null) return;
    draft.drop();
    const next = isLong ? draft.text.trimEnd() : draft.text.replace(/\s+/g, " ").trim();
    if (!draft.isChanged(next) || (isNeeded && next === "")) return;
    onSave(next, draft.version);
  };
  return (
    <textarea
      ref={field}
      dir="auto"
      rows={1}
      aria-label={label}
      value={text}
      placeholder={hint}
      maxLength={limit}
      onChange={(event) => draft.write(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Escape" && draft.text !== null) {
          event.stopPropagation();
          event.preventDefault();
          draft.drop();
        }
        if (event.key === "Enter" && (!isLong || event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          event.currentTarget.blur();
        }
      }}
      className={`field-sizing-content -mx-2.5 block w-[calc(100%+1.25rem)] resize-none rounded-xl bg-raised/50 px-2.5 py-1.5 ring-1 ring-line ring-inset transition-colors placeholder:text-soft hover:ring-line-strong focus:bg-raised ${look}`}
    />
  );
};
