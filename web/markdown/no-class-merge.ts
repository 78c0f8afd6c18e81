/**
 * Replaces `tailwind-merge` in the bundle. Streamdown uses it for its own elements, which the page replaces, and building
 * its tables would delay the first answer.
 */
export const twMerge = (...names: readonly string[]): string => names.filter(Boolean).join(" ");
