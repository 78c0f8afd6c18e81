import type { ToolPart } from "../../labels/tools.ts";
import { asRecord, textAt } from "../../lib/read-json.ts";
import { ToolFrame } from "../tool-frame.tsx";

/** A single value such as a sum or a time, in one line. */
export const ValueCard = ({ part }: { readonly part: ToolPart }) => {
  const { output } = part;
  const result = textAt(output, "result");
  const sign = asRecord(output)["exact"] === false ? "≈" : "=";
  const value = typeof output === "string" ? output : result === "" ? "" : `${sign} ${result}`;
  return <ToolFrame part={part} {...(value === "" ? {} : { brief: value })} />;
};
