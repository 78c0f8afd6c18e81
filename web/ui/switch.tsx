import type { ReactNode } from "react";

type Props = {
  readonly label: string;
  readonly isOn: boolean;
  readonly disabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** Visible text next to the switch; without it the label is only read aloud. */
  readonly children?: ReactNode;
};

/** An on/off switch. */
export const Switch = ({ label, isOn, disabled = false, onChange, children }: Props) => (
  <button
    type="button"
    role="switch"
    aria-checked={isOn}
    aria-label={label}
    disabled={disabled}
    onClick={() => onChange(!isOn)}
    className="inline-flex min-h-8 flex-none items-center gap-2 rounded-lg text-sm pointer-coarse:min-h-11"
  >
    <span
      aria-hidden="true"
      className={`flex h-5 w-9 flex-none items-center rounded-full p-0.5 transition-colors ${isOn ? "bg-accent" : "bg-line-strong"}`}
    >
      <span
        className={`size-4 rounded-full bg-raised transition-transform ${isOn ? "translate-x-4 rtl:-translate-x-4" : ""}`}
      />
    </span>
    {children}
  </button>
);
