import { useEffect, useRef, useState } from "react";
import { fitHeight } from "../../composer/fit-height.ts";

type Props = {
  readonly label: string;
  readonly value: string;
  /** Where nothing is written yet. */
  readonly hint: string;
  readonly limit: number;
  readonly isLong?: boolean;
  readonly isNeeded?: boolean;
  readonly look?: string;
  readonly onSave: (value: string) => void;
};

/** A text that is its own field. Leaving it keeps it, Escape does not; what changes elsewhere comes in while it is not edited. */
export const InPlace = ({ label, value, hint, limit, isLong = false, isNeeded = false, look = "", onSave }: Props) => {
  const [draft, setDraft] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const text = draft ?? value;
  useEffect(() => fitHeight(field.current), [text]);
  const save = () => {
    if (draft === null) return;
    setDraft(null);
    const next = isLong ? draft.trimEnd() : draft.replace(/\s+/g, " ").trim();
    if (next === value || (isNeeded && next === "")) return;
    onSave(next);
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
      onChange={(event) => setDraft(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Escape" && draft !== null) {
          event.stopPropagation();
          event.preventDefault();
          setDraft(null);
        }
        if (event.key === "Enter" && (!isLong || event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          event.currentTarget.blur();
        }
      }}
      className={`field-sizing-content -mx-2.5 block w-[calc(100%+1.25rem)] resize-none rounded-xl bg-transparent px-2.5 py-1.5 transition-colors placeholder:text-soft hover:bg-hover/60 focus:bg-raised ${look}`}
    />
  );
};
