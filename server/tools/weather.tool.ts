import { z } from "zod";
import { defineGroup } from "./group.ts";
import { defineTool, type CreateTool, type Tool, type ToolDeps } from "./tool.ts";
import { Forecast, toPlaceName, toSentences } from "./weather/forecast.ts";
import { askOpenMeteo, type OpenMeteoUrls } from "./weather/open-meteo.ts";
import { simulateForecast } from "./weather/simulate.ts";

const Input = z.object({
  place: z.string().trim().min(1).max(100).describe("A town, with region or country if the name is ambiguous"),
  days: z.int().min(1).max(7).optional().describe("Days of forecast; 3 if omitted"),
});
const Output = Forecast.extend({
  source: z.string(),
  simulated: z.boolean(),
  ref: z.int().optional(),
  text: z.string(),
});

const DAYS = 3;

const group = defineGroup(
  "weather",
  `
  weather, forecast, temperature, rain(?!bow), snow, umbrella, wetter, vorhersage, regen, regnet, schnee,
  météo, pluie, neige
  qué tiempo, clima, lluvia, llover, pronóstico, meteo, piogg, previsioni, previsão, chuva, погод, дожд,
  снег, прогноз
  天气, 天氣, 下雨, 气温, 天気, 気温, 雨, 날씨, 비가`,
);

/** Returns real data or fails. Weather is simulated only if the operator configured it, and then every result says so. */
export function createWeather({ tools, clock }: ToolDeps, urls?: OpenMeteoUrls): Tool {
  const isSimulated = tools.weather === "simulated";
  return defineTool<z.infer<typeof Input>>({
    name: "weather",
    group,
    description: "Returns the current weather and the forecast for a place.",
    input: Input,
    output: Output,
    repeat: "pure",
    effects: isSimulated ? ["read"] : ["read", "egress"],
    limits: { timeoutMs: 25_000, resultTokens: 1200 },
    ...(isSimulated ? {} : { untrusted: () => ["open-meteo.com"] }),
    sends: ({ place }) => ({ query: place }),
    describe: ({ place }) => `Look up the weather in ${place}`,
    summarize: ({ place }, output) => toDigest(place, Output.safeParse(output).data),
    execute: async ({ place, days = DAYS }, context) => {
      if (isSimulated) {
        const forecast = simulateForecast({ place, days }, clock.now());
        const text = `SIMULATED, not the real weather:\n${toSentences(forecast)}`;
        return { output: { ...forecast, source: "simulated", simulated: true, text } };
      }
      const { forecast, url } = await askOpenMeteo({ place, days }, context.fetch, urls);
      const text = toSentences(forecast);
      const title = `Weather in ${toPlaceName(forecast.place)}`;
      const { ref } = context.saveArtifact({ kind: "result", title, url, type: "text/plain", text });
      context.addSource({ url, title, status: "read", ref });
      return { output: { ...forecast, source: "Open-Meteo.com", simulated: false, ref, text } };
    },
  });
}

const create: CreateTool = (deps) => createWeather(deps);
export default create;

function toDigest(place: string, output: z.infer<typeof Output> | undefined): string {
  if (output === undefined) return `Looked up the weather in ${place}.`;
  const cited = output.ref === undefined ? "" : ` [${output.ref}]`;
  return `${output.simulated ? "SIMULATED weather" : "Weather"}${cited}: ${output.text.split("\n").at(output.simulated ? 1 : 0)}`;
}
