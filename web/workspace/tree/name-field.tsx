import { useRef } from "react";

type Props = {
  readonly label: string;
  readonly value: string;
  /** null: discarded or unchanged. */
  readonly onDone: (value: string | null) => void;
};

/** Edits a name or path in place. Enter and blur save, Escape discards. */
export const NameField = ({ label, value, onDone }: Props) => {
  const isSettled = useRef(false);
  const finish = (next: string | null) => {
    if (isSettled.current) return;
    isSettled.current = true;
    const path = next?.trim().replace(/^\.?\/+|(?<!\/)\/+$/g, "") ?? "";
    onDone(path === "" || path === value ? null : path);
  };
  return (
    <input
      autoFocus
      dir="ltr"
      aria-label={label}
      defaultValue={value}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      maxLength={400}
      onFocus={({ currentTarget: field }) => {
        const dot = value.lastIndexOf(".");
        field.setSelectionRange(value.lastIndexOf("/") + 1, dot > 0 ? dot : value.length);
      }}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") finish(event.currentTarget.value);
        if (event.key === "Escape") {
          event.preventDefault();
          finish(null);
        }
      }}
      className="min-w-0 flex-1 rounded-md bg-raised px-1.5 py-0.5 text-sm shadow-float"
    />
  );
};
