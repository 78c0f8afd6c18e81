/**
 * Stands in for `tailwind-merge` in the bundle. Streamdown merges the classes of its own elements with it; the page draws
 * those elements itself, and building the merge tables would hold up the first answer.
 */
export const twMerge = (...names: readonly string[]): string => names.filter(Boolean).join(" ");
