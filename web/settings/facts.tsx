import type { ReactNode } from "react";
import { Section } from "../ui/section.tsx";

/** A section with names and values. */
export const FactSection = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Section title={title}>
    <Facts>{children}</Facts>
  </Section>
);

export const Facts = ({ children }: { readonly children: ReactNode }) => (
  <dl className="mt-1 divide-y divide-line rounded-2xl bg-raised px-4 empty:hidden">{children}</dl>
);

type FactProps = { readonly name: ReactNode; readonly children: ReactNode };

export const Fact = ({ name, children }: FactProps) => (
  <div className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 py-2.5 text-sm">
    <dt className="min-w-0 flex-1 basis-56 text-soft wrap-anywhere">{name}</dt>
    <dd className="min-w-0 wrap-anywhere">{children}</dd>
  </div>
);
