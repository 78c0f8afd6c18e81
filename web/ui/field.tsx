import { useId, type ComponentProps, type ReactNode } from "react";

type Props = Omit<ComponentProps<"input">, "about" | "className" | "id"> & {
  readonly label: string;
  /** Hint below the field while it has no error. */
  readonly about?: ReactNode;
  readonly fault?: string | null;
  /** Next to the field. */
  readonly children?: ReactNode;
  readonly look?: string;
};

export const fieldLook =
  "h-9 w-full min-w-0 rounded-xl bg-sunk px-3 text-sm placeholder:text-soft pointer-coarse:h-11 pointer-coarse:text-base";

/** A labelled input with its error below. */
export const Field = ({ label, about, fault = null, children, look = "", ...rest }: Props) => {
  const id = useId();
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
