import type { ComponentProps } from "react";

type Props = Omit<ComponentProps<"button">, "aria-label" | "title"> & {
  readonly label: string;
  readonly hint?: string;
};

/** An icon button; its label is its accessible name and tooltip. */
export const IconButton = ({ label, hint, className = "", ...rest }: Props) => (
  <button type="button" aria-label={label} title={hint ?? label} className={`icon-button ${className}`} {...rest} />
);
