/** The server's own limits, repeated because its schemas stay out of the page; a test holds them together. */
export const longestMessage = (profile: string): number => (profile === "research" ? 10_000 : 100_000);

/** What the server would refuse without use to anyone: halves of characters, and NUL. */
export const toSendable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "").trim();
