import type { ToolPart } from "../names.ts";
import { listAt, textAt } from "../read-output.ts";

export type MemoryChangeView = {
  readonly changeId: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
};

/** What a call changed, field by field. */
export const readMemory = ({ output }: ToolPart): readonly MemoryChangeView[] =>
  listAt(output, "changes").flatMap((value) => {
    const field = textAt(value, "field");
    if (field === "") return [];
    return [
      { changeId: textAt(value, "changeId"), field, before: textAt(value, "before"), after: textAt(value, "after") },
    ];
  });
