import type { ToolPart } from "../calls/names.ts";
import { asRecord, listAt, textAt } from "../calls/read-output.ts";

export type MemoryChangeView = {
  /** Empty where it cannot be undone. */
  readonly changeId: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
};

/** What a call changed, field by field; a single change may be the output itself. */
export function readMemory({ output }: ToolPart): readonly MemoryChangeView[] {
  const list = listAt(output, "changes", "changed");
  const one = textAt(output, "field") === "" ? [] : [output];
  return (list.length > 0 ? list : one).flatMap((value) => {
    const field = textAt(value, "field", "name");
    if (field === "") return [];
    const { before, after } = asRecord(value);
    return [{ changeId: textAt(value, "changeId", "id"), field, before: toText(before), after: toText(after) }];
  });
}

const toText = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
