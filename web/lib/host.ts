/** The host as a person would say it, or nothing for what is no address of a page. */
export function toHost(url: string | undefined | null): string {
  if (!url || !URL.canParse(url)) return "";
  return new URL(url).host.replace(/^www\./, "");
}

/** One of 360 hues, the same for the same host everywhere. */
export function toHue(host: string): number {
  let hash = 2166136261;
  for (const character of host) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619);
  return (hash >>> 0) % 360;
}

/** The letter that stands for a host. */
export const toLetter = (host: string): string => (/[\p{L}\p{N}]/u.exec(host)?.[0] ?? "?").toUpperCase();
