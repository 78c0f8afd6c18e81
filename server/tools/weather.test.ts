import { afterEach, expect, test } from "vitest";
import { openLoopback, send, sendJson, type Loopback, type Respond } from "../../test/support/web/loopback.ts";
import { failures, jsonFailures } from "../../test/support/web/failures.ts";
import { createLoopbackFetch } from "../../test/support/web/searches.ts";
import { toolContext, toolDeps } from "../../test/support/server/tool-context.ts";
import { createWeather } from "./weather.tool.ts";

/** Follows open-meteo.com/en/docs/geocoding-api, with invented numbers. */
const place = (name: string, admin1: string, country: string, country_code: string) => ({
  id: 1,
  name,
  latitude: 64.135,
  longitude: -21.895,
  elevation: 37,
  feature_code: "PPLC",
  country_code,
  timezone: "Atlantic/Reykjavik",
  country,
  admin1,
});
const places = {
  results: [place("Paris", "Île-de-France", "France", "FR"), place("Paris", "Texas", "United States", "US")],
  generationtime_ms: 0.6,
};
/** Follows open-meteo.com/en/docs, with invented numbers. */
const forecast = {
  latitude: 64.13,
  longitude: -21.9,
  generationtime_ms: 0.2,
  utc_offset_seconds: 0,
  timezone: "Atlantic/Reykjavik",
  timezone_abbreviation: "GMT",
  elevation: 37,
  current_units: { time: "iso8601", temperature_2m: "°C" },
  current: {
    time: "2025-01-14T12:00",
    interval: 900,
    temperature_2m: 3.4,
    apparent_temperature: -1.2,
    relative_humidity_2m: 81,
    precipitation: 0.2,
    weather_code: 61,
    wind_speed_10m: 24.1,
  },
  daily: {
    time: ["2025-01-14", "2025-01-15", "2025-01-16"],
    weather_code: [61, 3, null],
    temperature_2m_max: [5.1, 4.2, null],
    temperature_2m_min: [0.3, -2.2, null],
    precipitation_sum: [4.4, null, null],
    precipitation_probability_max: [90, null, null],
    wind_speed_10m_max: [40.2, 22.5, null],
  },
};

let site: Loopback | undefined;
afterEach(() => site?.close());

const answer: Respond = (asked, response) => sendJson(asked.path === "/v1/search" ? places : forecast)(asked, response);

async function getWeather(respond: Respond, input: object, timeoutMs?: number) {
  await site?.close();
  site = await openLoopback(respond);
  const tool = createWeather(toolDeps, { geocoding: site.url, forecast: site.url });
  const context = toolContext({ fetch: createLoopbackFetch(timeoutMs) });
  const { output } = await tool.execute(tool.input.parse(input), context);
  return { tool, context, output: tool.output!.parse(output) as { text: string; [field: string]: unknown } };
}

test("geocodes the place and requests its forecast as documented", async () => {
  const { output, context } = await getWeather(answer, { place: "Paris", days: 3 });
  expect(site!.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /v1/search", "GET /v1/forecast"]);
  expect(site!.asked[0]!.params).toEqual({ name: "Paris", count: "20", language: "en", format: "json" });
  expect(site!.asked[1]!.params).toEqual({
    latitude: "64.135",
    longitude: "-21.895",
    current: "temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,weather_code,wind_speed_10m",
    daily:
      "weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,precipitation_probability_max,wind_speed_10m_max",
    timezone: "auto",
    forecast_days: "3",
  });
  expect(output).toMatchObject({
    simulated: false,
    source: "Open-Meteo.com",
    ref: 1,
    place: { name: "Paris", region: "Île-de-France", country: "France" },
    current: { conditions: "light rain", temperatureC: 3.4, feelsLikeC: -1.2, windKmh: 24.1 },
    days: [
      { date: "2025-01-14", conditions: "light rain", minC: 0.3, maxC: 5.1, precipitationPercent: 90 },
      { date: "2025-01-15", conditions: "overcast", precipitationMm: null, precipitationPercent: null },
    ],
  });
  expect(output.text).toBe(
    "Paris, Île-de-France, France, 2025-01-14T12:00: light rain, 3.4 °C (feels like -1.2 °C), humidity 81 %, wind 24.1 km/h.\n" +
      "2025-01-14: light rain, 0.3 to 5.1 °C, 4.4 mm (90 %).\n2025-01-15: overcast, -2.2 to 4.2 °C.",
  );
  expect(context.kept).toMatchObject([{ kind: "result", text: output.text }]);
  expect(context.sources).toMatchObject([{ status: "read", ref: 1 }]);
});

test("a region or country selects among places with the same name", async () => {
  const { output } = await getWeather(answer, { place: "Paris, Texas, USA" });
  expect(output["place"]).toMatchObject({ region: "Texas", country: "United States" });
  await expect(getWeather(answer, { place: "Paris, Iceland" })).rejects.toThrow(
    "No place matches. Open-Meteo knows “Paris” as Paris, Île-de-France, France; Paris, Texas, United States.",
  );
});

test("an unknown place is an error", async () => {
  await expect(getWeather(sendJson({ generationtime_ms: 0.1 }), { place: "Xyzzy" })).rejects.toThrow(
    "Open-Meteo found no place called “Xyzzy”.",
  );
});

test("an HTTP error includes the reason given by the service", async () => {
  const refusal = sendJson(
    { error: true, reason: "Daily API request limit exceeded. Please try again tomorrow." },
    429,
  );
  await expect(getWeather(refusal, { place: "Paris" })).rejects.toThrow(
    "The weather service Open-Meteo returned HTTP 429: Daily API request limit exceeded. Please try again tomorrow.",
  );
});

const alike = [...failures, ...jsonFailures].filter(({ name }) => name !== "an empty object");

test.each(alike)("$name is an error, never a forecast", async ({ respond, waits }) => {
  const work = getWeather(respond, { place: "Paris" }, waits ? 250 : undefined);
  await expect(work).rejects.toThrow(/^The weather service Open-Meteo (could not be reached|returned )/);
  expect(site!.asked.length).toBeGreaterThan(0);
});

test("a failed forecast after a successful lookup is an error", async () => {
  const half: Respond = (asked, response) =>
    (asked.path === "/v1/search" ? sendJson(places) : send("text/html", "<html>"))(asked, response);
  await expect(getWeather(half, { place: "Paris" })).rejects.toThrow("returned an invalid response");
  expect(site!.asked).toHaveLength(2);
});

const simulated = createWeather({ ...toolDeps, tools: { ...toolDeps.tools, weather: "simulated" } });

test("weather is simulated only if configured, and labeled in every form", async () => {
  const input = simulated.input.parse({ place: "Paris", days: 2 });
  const { output } = await simulated.execute(input, toolContext());
  expect(output).toMatchObject({ simulated: true, source: "simulated", text: expect.stringMatching(/^SIMULATED/) });
  expect(simulated.summarize?.(input, output)).toMatch(/^SIMULATED weather: Paris/);
  expect(simulated.effects).toEqual(["read"]);
  const again = await simulated.execute(input, toolContext());
  expect(again.output).toEqual(output);
});

test("declares the outgoing query and summarizes in one line", async () => {
  const { tool, output } = await getWeather(answer, { place: "Paris" });
  expect(tool.sends?.({ place: "Paris" })).toEqual({ query: "Paris" });
  expect(tool.effects).toEqual(["read", "egress"]);
  expect(tool.summarize?.({ place: "Paris" }, output)).toMatch(/^Weather \[1\]: Paris, .*km\/h\.$/);
});
