import { createHash } from "node:crypto";
import { toConditions, type Forecast } from "./forecast.ts";
import type { ForecastRequest } from "./open-meteo.ts";
import { DAY_MS } from "../../lib/clock.ts";

const codes = [0, 1, 2, 3, 51, 61, 63, 80, 95];

/** Derived from the place's name and the date, so the same request on the same day returns the same forecast. */
export function simulateForecast({ place, days }: ForecastRequest, now: number): Forecast {
  const toDate = (day: number): string => new Date(now + day * DAY_MS).toISOString().slice(0, 10);
  const forecast = Array.from({ length: days }, (_, day) => {
    const [kind = 0, warmth = 0, span = 0, rain = 0, wind = 0] = roll(`${place.toLowerCase()} ${toDate(day)}`);
    const minC = (warmth % 30) - 5;
    const code = codes[kind % codes.length] ?? 0;
    return {
      date: toDate(day),
      conditions: toConditions(code),
      minC,
      maxC: minC + 4 + (span % 8),
      precipitationMm: code > 50 ? (rain % 20) + 1 : 0,
      precipitationPercent: code > 50 ? 50 + (rain % 50) : rain % 20,
      windMaxKmh: wind % 50,
    };
  });
  const today = forecast[0] ?? { conditions: toConditions(0), minC: 0, maxC: 0, precipitationMm: 0, windMaxKmh: 0 };
  const mean = Math.round((today.minC + today.maxC) / 2);
  return {
    place: { name: place, latitude: 0, longitude: 0, timeZone: "UTC" },
    current: {
      time: new Date(now).toISOString().slice(0, 16),
      conditions: today.conditions,
      temperatureC: mean,
      feelsLikeC: mean - 1,
      humidityPercent: 60,
      precipitationMm: today.precipitationMm,
      windKmh: Math.round(today.windMaxKmh / 2),
    },
    days: forecast,
  };
}

const roll = (seed: string): Uint8Array => new Uint8Array(createHash("sha256").update(seed).digest());
