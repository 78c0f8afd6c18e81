import type { LucideIcon } from "lucide-react";

export type SegmentOption<T extends string> = {
  readonly value: T;
  readonly label: string;
  readonly Icon?: LucideIcon;
};

type Props<T extends string> = {
  readonly label: string;
  readonly options: readonly SegmentOption<T>[];
  readonly value: T;
  /** Icons only; the labels become tooltips and accessible names. */
  readonly isBrief?: boolean;
  readonly className?: string;
  readonly onChange: (value: T) => void;
};

/** Segmented control: one choice of a few, all of them visible. */
export const Segmented = <T extends string>({ label, options, value, isBrief, className = "", onChange }: Props<T>) => (
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
        {Icon && <Icon aria-hidden="true" className={`size-3.5 flex-none ${isBrief ? "" : "max-sm:hidden"}`} />}
        {!isBrief && <span className="truncate">{name}</span>}
      </button>
    ))}
  </div>
);

/** Options from a table of labels, in its order or in the given one. */
export const toOptions = <T extends string>(
  labels: Readonly<Record<T, string>>,
  order: readonly T[] = Object.keys(labels) as T[],
): readonly SegmentOption<T>[] => order.map((value) => ({ value, label: labels[value] }));
