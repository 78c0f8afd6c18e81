/** A reason that the user can understand, as full sentences. The first begins with "The file". */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/** Names the file in a reason. */
export const nameFile = (reason: string, name: string): string => reason.replace(/^The file\b/, () => name);
