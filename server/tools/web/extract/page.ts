/** A page that was read. `date` is ISO 8601; what the page does not tell is null. */
export type Page = {
  readonly title: string | null;
  readonly author: string | null;
  readonly date: string | null;
  readonly canonicalUrl: string | null;
  readonly lang: string | null;
  readonly markdown: string;
  /** Little can be read because scripts would have to run first. */
  readonly needsJavaScript: boolean;
  readonly kind: "html" | "text" | "json" | "pdf";
};

/** A body as it was fetched: its bytes, its text decoded, its media type as the server gave it, and where it came from. */
export type Source = {
  readonly body: Uint8Array;
  readonly text: string;
  readonly type: string;
  readonly url: string;
};

export const unknownMetadata = {
  title: null,
  author: null,
  date: null,
  canonicalUrl: null,
  lang: null,
  needsJavaScript: false,
} as const;
