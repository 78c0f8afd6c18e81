/** A piece of a text that is a secret. */
export type Span = {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
};
/** Adds what it finds. Each runs in time linear in the text. */
export type Finder = (text: string, add: (span: Span) => void) => void;
