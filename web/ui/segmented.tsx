import type { LucideIcon } from "lucide-react";

export type Option<T extends string> = { readonly value: T; readonly label: string; readonly Icon: LucideIcon };

type Props<T extends string> = {
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly value: T;
  /** Only pictures; the words are said and shown on hover. */
  readonly isBrief?: boolean;
  readonly className?: string;
  readonly onChange: (value: T) => void;
};

/** One of a few, side by side. */
export const Choice = <T extends string>({ label, options, value, isBrief, className = "", onChange }: Props<T>) => (
  <div role="group" aria-label={label} className={`flex min-w-0 rounded-xl bg-hover p-0.5 ${className}`}>
    {options.map(({ value: one, label: name, Icon }) => (
      <button
        key={one}
        type="button"
        aria-pressed={one === value}
        {...(isBrief ? { "aria-label": name, title: name } : {})}
        onClick={() => onChange(one)}
        className="flex min-h-7 min-w-0 flex-auto items-center justify-center gap-1.5 rounded-[0.6rem] px-2.5 text-xs font-medium text-soft transition-colors hover:text-ink aria-pressed:bg-[light-dark(var(--raised),var(--press))] aria-pressed:text-ink aria-pressed:shadow-float pointer-coarse:min-h-9"
      >
        <Icon aria-hidden="true" className={`size-3.5 flex-none ${isBrief ? "" : "max-sm:hidden"}`} />
        {!isBrief && <span className="truncate">{name}</span>}
      </button>
    ))}
  </div>
);
