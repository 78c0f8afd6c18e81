import { createHash } from "node:crypto";
import type { ToolSpec } from "../../protocol/model.ts";
import type { Counter } from "./fit.ts";

type ToolsJson = { readonly json: string; readonly hash: string };

/** Each list of specs is serialized and hashed once. */
const written = new WeakMap<readonly ToolSpec[], ToolsJson>();

export function writeTools(tools: readonly ToolSpec[]): ToolsJson {
  let known = written.get(tools);
  if (!known) {
    const json = JSON.stringify(tools);
    written.set(tools, (known = { json, hash: createHash("sha256").update(json).digest("hex") }));
  }
  return known;
}

/** System prompts are few and long-lived, so their token counts are cached. */
const texts = new Map<string, number>();
const MOST_TEXTS = 32;

export function countSystem(text: string, count: Counter): number {
  let tokens = texts.get(text);
  if (tokens === undefined) {
    if (texts.size >= MOST_TEXTS) texts.clear();
    texts.set(text, (tokens = count(text)));
  }
  return tokens;
}

/** Specs never change, so each is counted once. */
const counted = new WeakMap<ToolSpec, number>();

export const countTools = (tools: readonly ToolSpec[], count: Counter): number =>
  tools.reduce((sum, tool) => {
    let tokens = counted.get(tool);
    if (tokens === undefined) counted.set(tool, (tokens = count(JSON.stringify(tool))));
    return sum + tokens;
  }, 0);
