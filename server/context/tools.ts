import type { ToolSpec } from "../../protocol/model.ts";
import type { Counter } from "./fit.ts";

/** Specs are made once and never change: each is counted once. */
const counted = new WeakMap<ToolSpec, number>();

export const countTools = (tools: readonly ToolSpec[], count: Counter): number =>
  tools.reduce((sum, tool) => {
    let tokens = counted.get(tool);
    if (tokens === undefined) counted.set(tool, (tokens = count(JSON.stringify(tool))));
    return sum + tokens;
  }, 0);
