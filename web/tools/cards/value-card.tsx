import type { ToolPart } from "../calls/names.ts";
import { textAt } from "../calls/read-output.ts";
import { ToolFrame } from "../frame/tool-frame.tsx";

/** A sum or a time: all of it fits in the line. */
export const ValueCard = ({ part }: { readonly part: ToolPart }) => {
  const expression = textAt(part.input, "expression", "formula", "timeZone");
  const value = isPlain(part.output) ? String(part.output) : textAt(part.output, "result", "value", "text", "iso");
  const isSum = part.name === "calculate" && expression !== "";
  return (
    <ToolFrame
      part={part}
      {...(isSum ? { title: expression } : {})}
      {...(value === "" ? {} : { brief: isSum ? `= ${value}` : value })}
    />
  );
};

const isPlain = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number";
