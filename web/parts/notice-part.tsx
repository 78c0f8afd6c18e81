import { Info, TriangleAlert } from "lucide-react";
import type { PartOf } from "../../protocol/parts.ts";

export const NoticePart = ({ part }: { readonly part: PartOf<"notice"> }) => {
  const Icon = part.level === "info" ? Info : TriangleAlert;
  return (
    <p role="note" className={`flex items-start gap-2 rounded-xl px-3 py-2 text-sm ${tones[part.level]}`}>
      <Icon aria-hidden="true" className="mt-0.5 size-4 flex-none" />
      <span dir="auto" className="wrap-anywhere">
        {part.text}
      </span>
    </p>
  );
};

const tones = {
  info: "bg-sunk text-soft",
  warning: "bg-warn-wash text-ink",
  error: "bg-danger-wash text-ink",
} as const;
