import { useId, type ReactNode } from "react";
import { actions } from "../strings/actions.ts";

type Props = {
  readonly title: string;
  /** Next to the title. */
  readonly actions?: ReactNode;
  readonly count?: number;
  readonly children: ReactNode;
};

/** A section with a heading. */
export const Section = ({ title, actions, count, children }: Props) => {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0">
      <header className="mb-1 flex min-h-9 items-center gap-2">
        <h2 id={id} className="text-sm font-semibold">
          {title}
        </h2>
        {count !== undefined && <span className="text-xs text-soft tabular-nums">{count}</span>}
        <span className="ms-auto flex items-center gap-1">{actions}</span>
      </header>
      {children}
    </section>
  );
};

export const Quiet = ({ children }: { readonly children: ReactNode }) => (
  <p className="py-1 text-sm text-soft">{children}</p>
);

export const Waiting = () => <p className="animate-late py-1 text-sm text-soft">{actions.loading}</p>;

type FailedProps = { readonly text: string; readonly onRetry: () => void };

export const Failed = ({ text, onRetry }: FailedProps) => (
  <div role="alert" className="grid justify-items-start gap-2 py-2 text-sm text-danger">
    {text}
    <button type="button" className="plain-button min-h-8" onClick={onRetry}>
      {actions.retry}
    </button>
  </div>
);
