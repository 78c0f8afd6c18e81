/** Dates and times for the model: ISO 8601, UTC unless an offset is given. */
const form =
  /^(?<date>\d{4}-\d{2}-\d{2})(?:[T ](?<hours>\d{2}:\d{2})(?<seconds>:\d{2}(?:\.\d{1,9})?)?\s?(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A date without a time is the start or the end of that day: something due on it is not overdue before the day is over. */
export function parseMoment(text: string, edge: "start" | "end"): number | undefined {
  const { date, hours, seconds = "", zone = "Z" } = form.exec(text.trim())?.groups ?? {};
  if (date === undefined || !isDay(date)) return undefined;
  if (hours === undefined) return Date.parse(edge === "start" ? `${date}T00:00:00.000Z` : `${date}T23:59:59.999Z`);
  const at = Date.parse(`${date}T${hours}${seconds || ":00"}${zone.toUpperCase().replace(/(\d{2})(\d{2})$/, "$1:$2")}`);
  return Number.isNaN(at) ? undefined : at;
}

/** `Date.parse` turns February 30 into March 2; this rejects it. */
const isDay = (date: string): boolean => {
  const at = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
};

export function toIso(at: number): string {
  const text = new Date(at).toISOString();
  if (/T(?:00:00:00\.000|23:59:59\.999)Z$/.test(text)) return text.slice(0, 10);
  return text.replace(/(?::00)?\.000Z$/, "Z");
}
