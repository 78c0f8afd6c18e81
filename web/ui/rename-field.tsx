import { useRef } from "react";

type Props = {
  readonly label: string;
  readonly title: string;
  readonly longest: number;
  readonly className: string;
  readonly onDone: (title: string | null) => void;
};

/** Enter and blur save the title, Escape discards it; an empty title is ignored. */
export const RenameField = ({ label, title, longest, className, onDone }: Props) => {
  const settled = useRef(false);
  const finish = (value: string | null) => {
    if (settled.current) return;
    settled.current = true;
    const next = value?.trim() ?? "";
    onDone(next === "" || next === title ? null : next);
  };
  return (
    <input
      autoFocus
      dir="auto"
      aria-label={label}
      defaultValue={title}
      maxLength={longest}
      onClick={(event) => event.stopPropagation()}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        // The surrounding row handles keys too.
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") finish(event.currentTarget.value);
        if (event.key === "Escape") finish(null);
      }}
      className={className}
    />
  );
};
