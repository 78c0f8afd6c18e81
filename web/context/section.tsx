import { useId, type ReactNode } from "react";

type Props = {
  readonly title: string;
  readonly about?: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
};

export const ContextSection = ({ title, about, action, children }: Props) => {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-2">
      <div className="flex items-center gap-2">
        <h3 id={id} className="flex-1 text-sm font-semibold">
          {title}
        </h3>
        {action}
      </div>
      {about !== undefined && <p className="-mt-1 text-xs text-pretty text-soft">{about}</p>}
      {children}
    </section>
  );
};
