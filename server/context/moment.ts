const formats = new Map<string, Intl.DateTimeFormat>();

/** In English, so that it is the same for every model. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-GB", {
      ...{ weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" },
      ...{ hourCycle: "h23", timeZoneName: "longOffset", timeZone },
    });
  formats.set(timeZone, format);
  return format;
}

const MINUTE_MS = 60_000;
let last: { readonly minute: number; readonly timeZone: string; readonly moment: string } | undefined;

const partsOf = (at: number, timeZone: string): Partial<Record<Intl.DateTimeFormatPartTypes, string>> =>
  Object.fromEntries(
    formatIn(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );

/** Such as `15 November 2026`. `timeZone`: null for UTC. */
export function toDay(at: number, timeZone: string | null): string {
  const { day, month, year } = partsOf(at, timeZone ?? "UTC");
  return `${day} ${month} ${year}`;
}

/** Such as `Sunday, 15 November 2026, 10:30 Europe/Berlin (UTC+01:00)`. */
export function toMoment(at: number, timeZone: string | null): string {
  const minute = Math.floor(at / MINUTE_MS);
  if (last?.minute === minute && last.timeZone === (timeZone ?? "")) return last.moment;
  const moment = formatMoment(at, timeZone);
  // Time zones have had offsets with seconds, but none has today, so a moment holds for its minute.
  last = { minute, timeZone: timeZone ?? "", moment };
  return moment;
}

function formatMoment(at: number, timeZone: string | null): string {
  const { weekday, hour, minute, timeZoneName = "" } = partsOf(at, timeZone ?? "UTC");
  const zone = timeZone === null || timeZone === "UTC" ? "UTC" : `${timeZone} (${timeZoneName.replace("GMT", "UTC")})`;
  return `${weekday}, ${toDay(at, timeZone)}, ${hour}:${minute} ${zone}`;
}
