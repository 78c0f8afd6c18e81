import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { composer } from "../strings/composer.ts";
import { joinList } from "../lib/format.ts";

type Props = ComponentProps<"button"> & {
  /** The model's name, and options that differ from the default. */
  readonly words: readonly string[];
};

export const ModelButton = ({ words, ...rest }: Props) => {
  const [name, ...others] = words;
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-label={composer.model.button(joinList(words))}
      className="flex h-9 min-w-0 items-center gap-1 rounded-xl px-2.5 text-sm text-soft transition-colors hover:bg-hover hover:text-ink"
      {...rest}
    >
      <span dir="auto" className="truncate">
        {name}
        {others.map((other) => (
          <span key={other} className="text-accent-strong">
            {" · "}
            {other}
          </span>
        ))}
      </span>
      <ChevronDown aria-hidden="true" className="size-4 flex-none" />
    </button>
  );
};
