export type Draft = { readonly text: string; readonly value: string; readonly version: number };

type DraftState = readonly [Draft | null, (draft: Draft | null) => void];

/**
 * What is being written over a value that others may change meanwhile. Its version is the newest while the value is the one
 * that the draft began from; else the one it began with, so that their words are not written over unasked.
 */
export function useDraft(value: string, version: number, [draft, setDraft]: DraftState) {
  return {
    text: draft?.text ?? null,
    write: (text: string) => setDraft({ value, version, ...draft, text }),
    drop: () => setDraft(null),
    isChanged: (text: string) => draft !== null && text !== draft.value && text !== value,
    version: draft === null || draft.value === value ? version : draft.version,
  } as const;
}
