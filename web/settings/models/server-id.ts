/** The id of a server by its name: "Lab server" becomes "lab-server". Empty if the name has no letter. */
export const toServerId = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 40)
    .replace(/-$/, "");

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
