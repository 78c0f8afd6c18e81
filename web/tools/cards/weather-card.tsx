import type { ToolPart } from "../../labels/tools.ts";
import { asRecord, listAt, textAt } from "../../lib/read-json.ts";
import { ToolFrame } from "../tool-frame.tsx";
import { toolCards as strings } from "../../strings/tool-cards.ts";
import { joinList } from "../../lib/format.ts";

/** Current weather in one line, the forecast inside. Simulated data is labeled. */
export const WeatherCard = ({ part }: { readonly part: ToolPart }) => {
  const { place, current, simulated } = asRecord(part.output);
  const days = listAt(part.output, "days");
  const name = textAt(place, "name");
  const degrees = textAt(current, "temperatureC");
  const words = [
    simulated === true ? strings.weather.simulated : "",
    degrees === "" ? "" : strings.weather.temperature(degrees),
    textAt(current, "conditions"),
  ].filter((word) => word !== "");
  return (
    <ToolFrame
      part={part}
      {...(name === "" ? {} : { title: strings.weather.title(name) })}
      {...(words.length > 0 ? { brief: joinList(words) } : {})}
      {...(days.length > 0 ? { more: <Days days={days} /> } : {})}
    />
  );
};

const Days = ({ days }: { readonly days: readonly unknown[] }) => (
  <ul aria-label={strings.weather.forecast} className="grid gap-1 text-sm">
    {days.map((day) => (
      <li key={textAt(day, "date")} className="flex gap-3">
        <span className="flex-none text-soft tabular-nums">{textAt(day, "date")}</span>
        <span className="min-w-0">{textAt(day, "conditions")}</span>
        <span className="ms-auto flex-none text-soft tabular-nums">
          {strings.weather.range(textAt(day, "minC"), textAt(day, "maxC"))}
        </span>
      </li>
    ))}
  </ul>
);
