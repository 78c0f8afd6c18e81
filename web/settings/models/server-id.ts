/**
 * The id of a server by its name: "Lab server" becomes "lab-server". A name without Latin letters is numbered by its
 * characters, so that two of them differ. Empty for an empty name.
 */
export function toServerId(name: string): string {
  const id = toLatin(name);
  if (id !== "" || name.trim() === "") return id;
  const hash = [...name.trim()].reduce((sum, one) => (sum * 31 + (one.codePointAt(0) ?? 0)) % 1_000_003, 7);
  return `server-${hash}`;
}

const toLatin = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 40)
    .replace(/-$/, "");

const local =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[|[^./:]+(?:[:/]|$)|[^/:]+\.(?:local|lan|home)\b)/i;

/** The address with a scheme: http for a machine of the own network, https for others. */
export function toAddress(text: string): string {
  const address = text.trim();
  if (address === "" || address.includes("://")) return address;
  return `${local.test(address) ? "http" : "https"}://${address}`;
}

/** Headers as "Name: value" lines; null if a line is not one. */
export function readHeaders(text: string): Readonly<Record<string, string>> | null {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line) => {
    const at = line.indexOf(":");
    return at === -1 ? (["", ""] as const) : ([line.slice(0, at).trim(), line.slice(at + 1).trim()] as const);
  });
  const isValid = pairs.every(([name, value]) => /^[A-Za-z0-9-]{1,100}$/.test(name) && value !== "");
  return isValid ? Object.fromEntries(pairs) : null;
}
