export type RedactedValue<T> = { readonly value: T; readonly found: readonly Finding[] };

export type Finding = {
  readonly placeholder: string;
  /** How it was recognized: `password`, `token`, `private-key` ..., or the name of a known value. */
  readonly kind: string;
  readonly secret: string;
  /** Position of the placeholder in the result: the path to the string, and the offset in it. */
  readonly where: { readonly path: readonly (string | number)[]; readonly offset: number };
};
