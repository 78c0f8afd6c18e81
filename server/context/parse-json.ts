const LONGEST = 4_000_000;

/** Parses text that is a JSON object or array; undefined for anything else. */
export function parseJson(text: string): object | undefined {
  if (text.length > LONGEST || !/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text.slice(-64))) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
