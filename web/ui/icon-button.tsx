import type { ComponentProps } from "react";

type Props = Omit<ComponentProps<"button">, "aria-label" | "title"> & {
  readonly label: string;
  readonly hint?: string;
};

/** A button that is only an icon: its label is said to those who cannot see it, and shown on hover. */
export const IconButton = ({ label, hint, className = "", ...rest }: Props) => (
  <button type="button" aria-label={label} title={hint ?? label} className={`icon-button ${className}`} {...rest} />
);
