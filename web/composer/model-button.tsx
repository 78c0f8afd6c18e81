import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";

export const ModelButton = ({ name, ...rest }: ComponentProps<"button"> & { readonly name: string }) => (
  <button
    type="button"
    aria-haspopup="dialog"
    aria-label={`Model: ${name}`}
    className="flex h-9 min-w-0 items-center gap-1 rounded-xl px-2.5 text-sm text-soft transition-colors hover:bg-hover hover:text-ink"
    {...rest}
  >
    <span className="truncate">{name}</span>
    <ChevronDown aria-hidden="true" className="size-4 flex-none" />
  </button>
);
