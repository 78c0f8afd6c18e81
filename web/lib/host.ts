/** The host without "www.", or "" if the URL is not valid. */
export function toHost(url: string | undefined | null): string {
  if (!url || !URL.canParse(url)) return "";
  return new URL(url).host.replace(/^www\./, "");
}

/** A hue (0-359) derived from the host. */
export function toHue(host: string): number {
  let hash = 2166136261;
  for (const character of host) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619);
  return (hash >>> 0) % 360;
}

/** The first letter of the host, for its tile. A digit would look like the number of a source. */
export const toLetter = (host: string): string => (/\p{L}/u.exec(host)?.[0] ?? "?").toUpperCase();
