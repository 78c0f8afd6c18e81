/** The one address of this app that an answer may link to: the built-in model offers it. */
export const connectPath = "/settings/models";

/** Only http(s) and mailto links. Anything else (scripts, data, files, other programs) is shown as text. */
export function toSafeHref(url: string | undefined): string | null {
  if (!url) return null;
  try {
    const { protocol } = new URL(url);
    return protocol === "http:" || protocol === "https:" || protocol === "mailto:" ? url : null;
  } catch {
    return null;
  }
}
