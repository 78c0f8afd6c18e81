/** An extracted page. `date` is ISO 8601; missing metadata is null. */
export type Page = {
  readonly title: string | null;
  readonly author: string | null;
  readonly date: string | null;
  readonly canonicalUrl: string | null;
  readonly lang: string | null;
  readonly markdown: string;
  /** The page has little text unless its scripts run. */
  readonly needsJavaScript: boolean;
  readonly kind: "html" | "text" | "json" | "pdf";
};

/** A fetched body: its bytes, its decoded text, the server's media type and its URL. */
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
