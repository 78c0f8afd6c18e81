import { z } from "zod";
import { NetError, decodeDocument, type Fetch } from "../../net/fetch.ts";
import { toTerms } from "../../rank/terms.ts";
import { toConditions, type Forecast } from "./forecast.ts";

/** The API documented at open-meteo.com; it needs no key. */
export type OpenMeteoUrls = { readonly geocoding: string; readonly forecast: string };
export type ForecastRequest = { readonly place: string; readonly days: number };
type ForecastReply = { readonly forecast: Forecast; readonly url: string };

const urls: OpenMeteoUrls = {
  geocoding: "https://geocoding-api.open-meteo.com",
  forecast: "https://api.open-meteo.com",
};

const Place = z.object({
  name: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  timezone: z.string().optional(),
  country: z.string().optional(),
  country_code: z.string().optional(),
  admin1: z.string().optional(),
  admin2: z.string().optional(),
});
type Place = z.infer<typeof Place>;
/** Without a match there is no `results`. */
const Places = z.object({ results: z.array(Place).optional(), error: z.never().optional() });

const numbers = z.array(z.number().nullable());
const ForecastResponse = z.object({
  timezone: z.string(),
  current: z.object({
    time: z.string(),
    temperature_2m: z.number(),
    apparent_temperature: z.number(),
    relative_humidity_2m: z.number(),
    precipitation: z.number(),
    weather_code: z.number(),
    wind_speed_10m: z.number(),
  }),
  daily: z.object({
    time: z.array(z.string()),
    weather_code: numbers,
    temperature_2m_max: numbers,
    temperature_2m_min: numbers,
    precipitation_sum: numbers,
    precipitation_probability_max: numbers,
    wind_speed_10m_max: numbers,
  }),
});

export async function askOpenMeteo(
  { place, days }: ForecastRequest,
  fetch: Fetch,
  at: OpenMeteoUrls = urls,
): Promise<ForecastReply> {
  const found = await findPlace(place, fetch, at.geocoding);
  const params = new URLSearchParams({
    latitude: String(found.latitude),
    longitude: String(found.longitude),
    current: Object.keys(ForecastResponse.shape.current.shape)
      .filter((name) => name !== "time")
      .join(","),
    daily: Object.keys(ForecastResponse.shape.daily.shape)
      .filter((name) => name !== "time")
      .join(","),
    timezone: "auto",
    forecast_days: String(days),
  });
  const url = `${at.forecast}/v1/forecast?${params.toString()}`;
  return { forecast: toForecast(found, await ask(url, ForecastResponse, fetch)), url };
}

/** Finds places such as "Paris, Texas": looks up the name, and selects among the results by the words after the comma. */
async function findPlace(place: string, fetch: Fetch, url: string): Promise<Place> {
  const [name = place, ...rest] = place.split(",").map((part) => part.trim());
  const params = new URLSearchParams({ name, count: "20", language: "en", format: "json" });
  const { results = [] } = await ask(`${url}/v1/search?${params.toString()}`, Places, fetch);
  const wanted = toTerms(rest.join(" ")).map((term) => aliases[term] ?? term);
  const fitting = results.filter(({ country = "", country_code = "", admin1 = "", admin2 = "" }) => {
    const terms = toTerms(`${country} ${country_code} ${admin1} ${admin2}`);
    return wanted.every((term) => terms.includes(term));
  });
  const [first] = fitting;
  if (first) return first;
  if (results.length === 0) throw new Error(`Open-Meteo found no place called “${name}”.`);
  throw new Error(`No place matches. Open-Meteo knows “${name}” as ${results.slice(0, 5).map(toOption).join("; ")}.`);
}

/** Common country abbreviations that differ from the ISO codes. */
const aliases: Readonly<Record<string, string>> = { uk: "gb", usa: "us" };

const toOption = ({ name, admin1, country }: Place): string => [name, admin1, country].filter(Boolean).join(", ");

const MAX_BYTES = 512 * 1024;
const TIMEOUT_MS = 10_000;

async function ask<T>(url: string, schema: z.ZodType<T>, fetch: Fetch): Promise<T> {
  const fetched = await fetch(url, {
    headers: { accept: "application/json" },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  }).catch((cause: unknown) => {
    if (!(cause instanceof NetError) || cause.code === "aborted") throw cause;
    throw new Error(`The weather service Open-Meteo could not be reached: ${cause.message}`, { cause });
  });
  const json = parseJson(decodeDocument(fetched));
  if (fetched.status !== 200)
    throw new Error(`The weather service Open-Meteo returned HTTP ${fetched.status}${toReason(json)}.`);
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new Error("The weather service Open-Meteo returned an invalid response.");
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const Reason = z.object({ reason: z.string() });

function toReason(json: unknown): string {
  const parsed = Reason.safeParse(json);
  return parsed.success
    ? `: ${parsed.data.reason
        .replace(/\s+/g, " ")
        .replace(/(?<![.\s])[.\s]+$/, "")
        .slice(0, 200)}`
    : "";
}

function toForecast(place: Place, { timezone, current, daily }: z.infer<typeof ForecastResponse>): Forecast {
  return {
    place: {
      name: place.name,
      ...(place.admin1 ? { region: place.admin1 } : {}),
      ...(place.country ? { country: place.country } : {}),
      latitude: place.latitude,
      longitude: place.longitude,
      timeZone: timezone,
    },
    current: {
      time: current.time,
      conditions: toConditions(current.weather_code),
      temperatureC: current.temperature_2m,
      feelsLikeC: current.apparent_temperature,
      humidityPercent: current.relative_humidity_2m,
      precipitationMm: current.precipitation,
      windKmh: current.wind_speed_10m,
    },
    days: daily.time.flatMap((date, day) => {
      const [code, minC, maxC] = [daily.weather_code, daily.temperature_2m_min, daily.temperature_2m_max].map(
        (values) => values[day] ?? undefined,
      );
      // The day is beyond the forecast's range.
      if (code === undefined || minC === undefined || maxC === undefined) return [];
      return [
        {
          date,
          conditions: toConditions(code),
          minC,
          maxC,
          precipitationMm: daily.precipitation_sum[day] ?? null,
          precipitationPercent: daily.precipitation_probability_max[day] ?? null,
          windMaxKmh: daily.wind_speed_10m_max[day] ?? null,
        },
      ];
    }),
  };
}
