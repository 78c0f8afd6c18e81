/** A secret in a text. */
export type Span = {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
};
/** Reports secrets by calling `add`. Each finder runs in linear time. */
export type Finder = (text: string, add: (span: Span) => void) => void;
