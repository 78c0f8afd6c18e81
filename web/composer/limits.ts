/** The server's own limit, repeated because its schemas stay out of the page; a test holds the two together. */
export const messageCharacters = 100_000;

/** What the server would refuse without use to anyone: halves of characters, and NUL. */
export const toSendable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "").trim();
