import type { Response } from "../../../protocol/api.ts";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import { toMcpToolName, toTitle } from "../../labels/tools.ts";
import type { Tone } from "../../ui/badge.tsx";
import { own } from "../../lib/own.ts";

export type ToolOffer = Response<"listTools">["tools"][number];

export const toToolTitle = (name: string): string => toTitle(toMcpToolName(name)?.tool ?? name);

/** When the tool needs approval; null: never by default. */
export function describeAsking({ effects, repeat }: ToolOffer): string | null {
  if (effects.includes("spend")) return "Asks first: it spends money";
  if (effects.includes("destructive")) return "Asks first: it deletes";
  if (effects.includes("write") && repeat === "once") return "Asks first: it cannot be undone";
  if (effects.includes("egress")) return "May ask before it sends";
  return null;
}

const effectWords: Readonly<Record<string, string>> = {
  read: "reads",
  write: "writes",
  egress: "goes online",
  destructive: "deletes",
  spend: "spends",
};
export const describeEffects = ({ effects }: ToolOffer): string =>
  effects.length === 0 ? "only thinks" : effects.map((effect) => effectWords[effect] ?? effect).join(", ");

export type ToolGroup = { readonly server: string | null; readonly tools: readonly ToolOffer[] };

/** Built-in tools first, then those of each server. */
export function groupTools(tools: readonly ToolOffer[]): readonly ToolGroup[] {
  const groups = Map.groupBy(tools, ({ name }) => toMcpToolName(name)?.server ?? null);
  return [...groups]
    .map(([server, members]) => ({ server, tools: members }))
    .toSorted((a, b) => (a.server ?? "").localeCompare(b.server ?? ""));
}

type State = { readonly tone: Tone; readonly text: string };

const states: Readonly<Record<string, State>> = {
  idle: { tone: "quiet", text: "Not connected yet" },
  connecting: { tone: "quiet", text: "Connecting…" },
  resting: { tone: "bad", text: "Not there" },
  "signed-out": { tone: "warn", text: "Asks you to sign in" },
  closed: { tone: "quiet", text: "Closed" },
};

export function describeServer({ state, tools, changes }: ServerStatus): State {
  if (changes.length > 0) return { tone: "warn", text: "Changed: look at it" };
  if (state === "ready") return { tone: "good", text: tools.length === 1 ? "One tool" : `${tools.length} tools` };
  return own(states, state) ?? { tone: "quiet", text: state };
}
