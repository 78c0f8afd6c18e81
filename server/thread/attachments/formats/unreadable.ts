/** A reason that the user can understand, as the end of a sentence that starts with the file's name. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}
