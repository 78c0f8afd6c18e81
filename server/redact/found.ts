export type Redacted<T> = { readonly value: T; readonly found: readonly Found[] };

export type Found = {
  readonly placeholder: string;
  /** What it was recognised by: `password`, `token`, `private-key` ..., or the name of a known value. */
  readonly kind: string;
  readonly secret: string;
  /** Where the placeholder stands in the result: the way to the string, and the place in it. */
  readonly where: { readonly path: readonly (string | number)[]; readonly offset: number };
};
