/** Who is asking. Without sign-in there is one: `local`. */
export type Principal = { readonly userId: string };
