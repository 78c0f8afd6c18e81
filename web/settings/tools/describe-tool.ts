import type { Response } from "../../../protocol/api.ts";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import { toMcpToolName, toToolName } from "../../labels/tools.ts";
import type { Tone } from "../../ui/badge.tsx";
import { own } from "../../lib/own.ts";
import { toolSettings as strings } from "../../strings/settings/tools.ts";
import { joinList } from "../../lib/format.ts";

export type ToolOffer = Response<"listTools">["tools"][number];

export const toToolTitle = toToolName;

/** When the tool needs approval; null: never by default. */
export function describeApproval({ effects, repeat }: ToolOffer): string | null {
  if (effects.includes("spend")) return strings.approvals.spend;
  if (effects.includes("destructive")) return strings.approvals.delete;
  if (effects.includes("write") && repeat === "once") return strings.approvals.once;
  if (effects.includes("egress")) return strings.approvals.send;
  return null;
}

const effectLabels: Readonly<Record<string, string>> = strings.effects;

export const describeEffects = ({ effects }: ToolOffer): string =>
  effects.length === 0 ? strings.effects.none : joinList(effects.map((effect) => effectLabels[effect] ?? effect));

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
  idle: { tone: "quiet", text: strings.states.idle },
  connecting: { tone: "quiet", text: strings.states.connecting },
  resting: { tone: "bad", text: strings.states.resting },
  "signed-out": { tone: "warn", text: strings.states["signed-out"] },
  closed: { tone: "quiet", text: strings.states.closed },
};

export function describeServer({ state, tools, changes }: ServerStatus): State {
  if (changes.length > 0) return { tone: "warn", text: strings.states.changed };
  if (state === "ready") return { tone: "good", text: strings.states.tools(tools.length) };
  return own(states, state) ?? { tone: "quiet", text: state };
}
