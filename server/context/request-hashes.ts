import { createHash, type Hash } from "node:crypto";
import type { ModelRequest, ToolSpec } from "../../protocol/model.ts";
import { hashText } from "./render.ts";
import { writeTools } from "./count-tools.ts";

/** Hashes of one request, for its receipt: the same as `hashText` of `toBytes`, and `hashRequest`. */
export type RequestHashes = {
  readonly request: string;
  readonly system: string;
  /** Everything but the last `loose` messages. */
  readonly stable: { readonly bytes: number; readonly hash: string };
  /** Hash of the first characters of the stable bytes; undefined when there are fewer. */
  readonly ofPrefix: (length: number) => string | undefined;
};

/** Tools and instructions are most of a short request and the same for many, so their hash is continued with the messages. */
type Opening = { readonly text: string; readonly hash: Hash; readonly systemHash: string };
const openings = new WeakMap<readonly ToolSpec[], Map<string, Opening>>();
const MOST_SYSTEMS = 32;

/** Serializes a request once and hashes each of its bytes once. */
export function hashParts(request: ModelRequest, loose: number): RequestHashes {
  const { system, tools, messages, toolChoice, effort, settings } = request;
  const opening = openWith(system, tools);
  const lines = messages.map(({ breakpoint: _, ...message }) => `\n${JSON.stringify(message)}`);
  const stable = lines.slice(0, lines.length - loose).join("");
  const rest = lines.slice(lines.length - loose).join("");
  const choices = [toolChoice, effort, ...(settings ? [settings] : [])];
  const bytes = opening.text.length + stable.length;
  const running = opening.hash.copy().update(stable);
  const hash = running.copy().digest("hex");
  return {
    request: running.update(`${rest}\n${JSON.stringify(choices)}`).digest("hex"),
    system: opening.systemHash,
    stable: { bytes, hash },
    ofPrefix: (length) => {
      if (length > bytes) return undefined;
      if (length === bytes) return hash;
      const ofStable = length - opening.text.length;
      if (ofStable < 0) return hashText(opening.text.slice(0, length));
      return opening.hash.copy().update(stable.slice(0, ofStable)).digest("hex");
    },
  };
}

function openWith(system: string, tools: readonly ToolSpec[]): Opening {
  const bySystem = openings.get(tools) ?? new Map<string, Opening>();
  openings.set(tools, bySystem);
  let known = bySystem.get(system);
  if (!known) {
    if (bySystem.size >= MOST_SYSTEMS) bySystem.clear();
    const text = `[${writeTools(tools).json},${JSON.stringify(system)}]`;
    known = { text, hash: createHash("sha256").update(text), systemHash: hashText(system) };
    bySystem.set(system, known);
  }
  return known;
}
