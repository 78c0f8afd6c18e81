import { ChevronDown } from "lucide-react";
import { capital } from "../lib/format.ts";

type Props<T extends string> = {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly T[];
  /** Labels; default: the values themselves. */
  readonly words?: Readonly<Partial<Record<T, string>>>;
  readonly className?: string;
  readonly onChoose: (value: T) => void;
};

/** A native select, which phones and screen readers handle best. */
export const Select = <T extends string>({ label, value, choices, words, className = "", onChoose }: Props<T>) => (
  <span className={`relative inline-flex min-w-0 items-center ${className}`}>
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.target.value as T)}
      className="min-h-9 w-full min-w-0 cursor-pointer appearance-none truncate rounded-xl bg-hover py-1 ps-3 pe-8 text-sm hover:bg-press pointer-coarse:min-h-11"
    >
      {choices.map((choice) => (
        <option key={choice} value={choice} className="bg-raised text-ink">
          {words?.[choice] ?? capital(choice)}
        </option>
      ))}
    </select>
    <ChevronDown aria-hidden="true" className="pointer-events-none absolute end-2.5 size-4 text-soft" />
  </span>
);
