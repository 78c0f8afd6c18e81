import type { PartOf } from "../../protocol/parts.ts";

export const StepPart = ({ part }: { readonly part: PartOf<"step"> }) =>
  part.attempt > 1 ? (
    <p className="text-xs text-soft">
      Attempt {part.attempt}, with {part.model}
    </p>
  ) : null;
