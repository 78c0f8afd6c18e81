import type { ReactNode } from "react";

export type Tone = "good" | "bad" | "quiet" | "warn";

const tones: Readonly<Record<Tone, string>> = {
  good: "bg-[color-mix(in_srgb,var(--good)_16%,transparent)] text-ink",
  bad: "bg-danger-wash text-ink",
  quiet: "bg-hover text-soft",
  warn: "bg-warn-wash text-ink",
};

/** A short status label. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span
    className={`inline-flex flex-none items-center gap-1 rounded-full px-2.5 py-0.5 text-xs font-medium ${tones[tone]}`}
  >
    {children}
  </span>
);
