import { useState } from "react";

type Draft = { readonly text: string; readonly value: string; readonly version: number };

/**
 * What is being written over a value that others may change meanwhile. Its version is the newest while the value is the one
 * that the draft began from; else the one it began with, so that their words are not written over unasked.
 */
export function useDraft(value: string, version: number) {
  const [draft, setDraft] = useState<Draft | null>(null);
  return {
    text: draft?.text ?? null,
    write: (text: string) => setDraft({ value, version, ...draft, text }),
    drop: () => setDraft(null),
    isChanged: (text: string) => draft !== null && text !== draft.value && text !== value,
    version: draft === null || draft.value === value ? version : draft.version,
  } as const;
}
