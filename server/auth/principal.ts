/** Who is asking. Without sign-in there is one: `local`. */
export type Principal = {
  readonly userId: string;
  /** The session by which they came, if by one; streams end with it. */
  readonly session?: string;
};
