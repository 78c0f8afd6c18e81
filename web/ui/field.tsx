import { useId, useState, type ComponentProps, type ReactNode } from "react";

type Props = Omit<ComponentProps<"input">, "about" | "className" | "id"> & {
  readonly label: string;
  /** Hint below the field while it has no error. */
  readonly about?: ReactNode;
  readonly fault?: string | null;
  /** Shown instead of the browser's message when the value does not fit its type or pattern. */
  readonly mismatch?: string;
  /** Next to the field. */
  readonly children?: ReactNode;
  readonly look?: string;
};

export const fieldLook =
  "h-9 w-full min-w-0 rounded-xl bg-sunk px-3 text-sm placeholder:text-soft pointer-coarse:h-11 pointer-coarse:text-base";

/** A labeled input with its error below. */
export const Field = ({ label, about, fault: given = null, mismatch, children, look = "", ...rest }: Props) => {
  const id = useId();
  const [isMismatch, setMismatch] = useState(false);
  const fault = given ?? (isMismatch && mismatch !== undefined ? mismatch : null);
  const note = fault ?? about;
  return (
    <div className={`grid content-start gap-1 ${look}`}>
      <label htmlFor={id} className="text-xs font-medium text-soft">
        {label}
      </label>
      <div className="flex items-center gap-1">
        <input
          id={id}
          aria-invalid={fault !== null || undefined}
          aria-describedby={note === undefined ? undefined : `${id}-note`}
          className={fieldLook}
          onInput={() => setMismatch(false)}
          onInvalid={(event) => {
            if (mismatch === undefined) return;
            event.preventDefault();
            setMismatch(true);
            event.currentTarget.focus();
          }}
          {...rest}
        />
        {children}
      </div>
      {note !== undefined && (
        <p id={`${id}-note`} className={`text-xs ${fault === null ? "text-soft" : "text-danger"}`}>
          {note}
        </p>
      )}
    </div>
  );
};

type SwitchProps = {
  readonly label: string;
  readonly isOn: boolean;
  readonly disabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** Visible text next to the switch; without it the label is only read aloud. */
  readonly children?: ReactNode;
};

/** An on/off switch. */
export const Switch = ({ label, isOn, disabled = false, onChange, children }: SwitchProps) => (
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
