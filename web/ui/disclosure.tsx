import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

type Props = {
  readonly label: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
  readonly onToggle?: (isOpen: boolean) => void;
};

/** Collapsed by default; a native `details`, so that find-in-page and screen readers work. */
export const Disclosure = ({ label, children, className = "", onToggle }: Props) => (
  <details className={className} onToggle={(event) => onToggle?.(event.currentTarget.open)}>
    <summary className="inline-flex max-w-full list-none items-center gap-1.5 rounded-lg py-1 pe-2 text-sm text-soft select-none hover:text-ink [&::-webkit-details-marker]:hidden">
      <ChevronRight
        aria-hidden="true"
        className="size-4 flex-none transition-transform in-[details[open]>summary]:rotate-90 rtl:-scale-x-100"
      />
      {label}
    </summary>
    {children}
  </details>
);
