import type { PartOf } from "../../protocol/parts.ts";
import { PlainText } from "../ui/plain-text.tsx";
import { Fold } from "../ui/fold.tsx";
import { parts as strings } from "../strings/parts.ts";

export const ReasoningPart = ({ part }: { readonly part: PartOf<"reasoning"> }) => {
  if (part.text.trim() === "" && part.state !== "streaming") return null;
  return (
    <Fold
      label={
        <>
          {strings.reasoning[part.state]}
          {part.state === "streaming" && <span className="size-1.5 animate-pulse-dot rounded-full bg-accent" />}
        </>
      }
    >
      <div className="mt-1 mb-2 ms-2 border-s-2 border-line ps-4 text-sm text-soft">
        <PlainText text={part.text} />
      </div>
    </Fold>
  );
};
