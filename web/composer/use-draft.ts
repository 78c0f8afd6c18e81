import { useEffect } from "react";
import { useSignal } from "../state/cell.ts";
import { usePage } from "../state/page.ts";

/** The unsent text of a thread. `owner` is the thread's id, or "new". */
export function useDraft(owner: string): readonly [string, (text: string) => void] {
  const draft = usePage().drafts.of(owner);
  useEffect(() => draft.open(), [draft]);
  return [useSignal(draft.text), draft.write];
}
