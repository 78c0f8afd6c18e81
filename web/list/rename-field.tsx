import { useRef } from "react";

type Props = { readonly title: string; readonly onDone: (title: string | null) => void };

/** Enter and leaving keep the title, Escape does not; an empty one is no title. */
export const RenameField = ({ title, onDone }: Props) => {
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
      aria-label="Thread title"
      defaultValue={title}
      maxLength={200}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") finish(event.currentTarget.value);
        if (event.key === "Escape") finish(null);
      }}
      className="w-full rounded-xl bg-raised px-3 py-2.5 text-sm font-medium"
    />
  );
};
