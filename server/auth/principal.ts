/** The authenticated user. Without sign-in there is only `local`. */
export type Principal = {
  readonly userId: string;
  /** The session used, if any; its streams end with it. */
  readonly session?: string;
};
