import type { Part as PartShape, PartOf } from "../../protocol/parts.ts";
import { Part } from "../parts/part.tsx";
import { FactsContext, useMessageFacts } from "../sources/message-facts.ts";

type Props = { readonly threadId: string; readonly parts: readonly PartShape[] };

/** Attachments of a user message: pictures first, then other files. */
export const MessageFiles = ({ threadId, parts }: Props) => {
  const facts = useMessageFacts(threadId, parts);
  const files = parts.filter((part): part is PartOf<"file"> => part.kind === "file");
  const rows = [files.filter(isPicture), files.filter((part) => !isPicture(part))];
  return (
    <FactsContext value={facts}>
      {rows.map((row, at) =>
        row.length === 0 ? null : (
          <div key={at} className="flex flex-wrap gap-2 py-1.5">
            {row.map((part) => (
              <Part key={part.id} part={part} />
            ))}
          </div>
        ),
      )}
    </FactsContext>
  );
};

const isPicture = ({ width }: PartOf<"file">): boolean => width !== undefined;
