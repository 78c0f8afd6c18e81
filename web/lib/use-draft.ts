export type Draft = { readonly text: string; readonly value: string; readonly version: number };

type DraftState = readonly [Draft | null, (draft: Draft | null) => void];

/**
 * Editing of a value that others may change at the same time. The draft keeps the version it started from once the value has
 * changed, so that a save cannot silently overwrite that change.
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
