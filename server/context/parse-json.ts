const LONGEST = 4_000_000;

/** What a text holds when it is the JSON of an object or a list; undefined for any other text. */
export function parseJson(text: string): object | undefined {
  if (text.length > LONGEST || !/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text.slice(-64))) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
