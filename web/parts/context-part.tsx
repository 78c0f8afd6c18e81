import type { PartOf } from "../../protocol/parts.ts";
import { Fold } from "../ui/fold.tsx";

/** What was brought back from earlier in the thread for this answer; the time alone is not worth a line. */
export const ContextPart = ({ part: { recalled = [] } }: { readonly part: PartOf<"context"> }) => {
  if (recalled.length === 0) return null;
  const title = recalled.length === 1 ? "Recalled one passage" : `Recalled ${recalled.length} passages`;
  return (
    <Fold label={title}>
      <ul>
        {recalled.map(({ messageId, text }) => (
          <li key={messageId + text}>{text}</li>
        ))}
      </ul>
    </Fold>
  );
};
