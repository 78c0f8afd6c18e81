import type { ToolPart } from "../calls/names.ts";
import { asRecord, textAt } from "../calls/read-output.ts";
import { ToolFrame } from "../frame/tool-frame.tsx";

/** The weather in a line. A simulated one says that it is. */
export const WeatherCard = ({ part }: { readonly part: ToolPart }) => {
  const output = asRecord(part.output);
  const now = { ...output, ...asRecord(output["current"] ?? output["now"]) };
  const degrees = textAt(now, "temperature", "temperatureC", "temperature_2m");
  const place = textAt(output, "place", "location", "city", "name") || textAt(part.input, "place", "location", "city");
  const words = [
    degrees === "" ? "" : `${degrees}${/\d$/.test(degrees) ? " °C" : ""}`,
    textAt(now, "conditions", "condition", "summary", "description", "weather"),
  ].filter((word) => word !== "");
  const isSimulated = output["simulated"] === true || textAt(output, "source") === "simulated";
  return (
    <ToolFrame
      part={part}
      title={place === "" ? (part.title ?? "Weather") : `Weather in ${place}`}
      {...(words.length > 0 || isSimulated
        ? { brief: [...words, ...(isSimulated ? ["simulated"] : [])].join(", ") }
        : {})}
    />
  );
};
