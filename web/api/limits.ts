/** Limits of the server, repeated here because its schemas are not part of the page; a test keeps both equal. */
export const longestMessage = (profile: string): number => (profile === "research" ? 10_000 : 100_000);

/** Removes what the server rejects: lone surrogates and NUL. */
export const toSendable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "").trim();
