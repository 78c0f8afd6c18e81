import { z } from "zod";

/** A place and its weather. Metric units, local time. */
export const Forecast = z.object({
  place: z.object({
    name: z.string(),
    region: z.string().optional(),
    country: z.string().optional(),
    latitude: z.number(),
    longitude: z.number(),
    timeZone: z.string(),
  }),
  current: z.object({
    time: z.string(),
    conditions: z.string(),
    temperatureC: z.number(),
    feelsLikeC: z.number(),
    humidityPercent: z.number(),
    precipitationMm: z.number(),
    windKmh: z.number(),
  }),
  days: z.array(
    z.object({
      date: z.string(),
      conditions: z.string(),
      minC: z.number(),
      maxC: z.number(),
      precipitationMm: z.number().nullable(),
      precipitationPercent: z.number().nullable(),
      windMaxKmh: z.number().nullable(),
    }),
  ),
});
export type Forecast = z.infer<typeof Forecast>;

export const toPlaceName = ({ name, region, country }: Forecast["place"]): string =>
  [name, region, country].filter((part) => part !== undefined && part !== "").join(", ");

export function toSentences({ place, current, days }: Forecast): string {
  const now =
    `${toPlaceName(place)}, ${current.time}: ${current.conditions}, ${current.temperatureC} °C ` +
    `(feels like ${current.feelsLikeC} °C), humidity ${current.humidityPercent} %, wind ${current.windKmh} km/h.`;
  const later = days.map(({ date, conditions, minC, maxC, precipitationMm, precipitationPercent }) => {
    const amount = precipitationMm === null ? "" : `, ${precipitationMm} mm`;
    const chance = precipitationPercent === null ? "" : ` (${precipitationPercent} %)`;
    return `${date}: ${conditions}, ${minC} to ${maxC} °C${amount}${chance}.`;
  });
  return [now, ...later].join("\n");
}

/** The WMO weather codes that Open-Meteo uses. */
const conditions: Readonly<Record<number, string>> = {
  0: "clear sky",
  1: "mainly clear",
  2: "partly cloudy",
  3: "overcast",
  45: "fog",
  48: "freezing fog",
  51: "light drizzle",
  53: "drizzle",
  55: "dense drizzle",
  56: "light freezing drizzle",
  57: "dense freezing drizzle",
  61: "light rain",
  63: "rain",
  65: "heavy rain",
  66: "light freezing rain",
  67: "heavy freezing rain",
  71: "light snow",
  73: "snow",
  75: "heavy snow",
  77: "snow grains",
  80: "light rain showers",
  81: "rain showers",
  82: "violent rain showers",
  85: "light snow showers",
  86: "heavy snow showers",
  95: "thunderstorm",
  96: "thunderstorm with light hail",
  99: "thunderstorm with heavy hail",
};

export const toConditions = (code: number): string => conditions[code] ?? `weather code ${code}`;
