import type { ToolSpec } from "../../protocol/model.ts";
import { rank } from "../rank/rank.ts";
import type { Catalog } from "./catalog.ts";
import { FIND_TOOLS, toSearchText, USE_TOOL } from "./find-tools.ts";
import { groups, type Group } from "./intents.ts";
import { parseCommands } from "./commands.ts";

export { USE_TOOL };

/** `tools`: names of the tools that the message called. */
export type GateMessage = {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly tools?: readonly string[];
};

export type GateInput = {
  readonly catalog: Pick<Catalog, "specs" | "nameOf">;
  /** `tools`: the profile's fixed list; null selects tools by the conversation. */
  readonly profile: { readonly name: string; readonly tools: readonly string[] | null };
  /** Whether the thread belongs to a project. */
  readonly inProject?: boolean;
  /** Newest last. Only the last few messages are read. */
  readonly exchange: readonly GateMessage[];
};

/** Models choose worse among more tools than this. */
const MAX_OFFERED = 24;
const RECENT_MESSAGES = 6;
const MAX_MESSAGE_CHARACTERS = 4000;

const always = new Set(["now", "calculate", "read_artifact"]);
/** Groups that a profile always offers. The other groups are offered when the conversation matches their intent. */
const open: Readonly<Record<string, readonly Group["name"][]>> = {
  stone: ["web", "weather", "memory"],
  autopilot: ["web"],
  project: ["project"],
  builder: ["files"],
};

/**
 * Selects the tools to put in the prompt, by name. Pure: the caller reuses the result for as long as the prompt prefix must
 * stay the same. The model can still reach the other tools by find_tools, so an intent that no pattern matches costs one
 * extra step.
 */
export function chooseTools({ catalog, profile, inProject = false, exchange }: GateInput): readonly string[] {
  // An empty list means no tools at all, not even find_tools and use_tool.
  if (profile.tools?.length === 0) return [];
  const specs = catalog.specs.filter(({ name }) => name !== FIND_TOOLS && name !== USE_TOOL);
  const recent = exchange.slice(-RECENT_MESSAGES);
  const named = new Set([
    ...findNamed(recent, specs),
    ...recent.flatMap(({ tools = [] }) => tools.map(catalog.nameOf)),
  ]);
  const home = groups.filter(
    ({ name }) => open[profile.name]?.includes(name) === true || (inProject && name === "project"),
  );
  const isProjectTool = (name: string): boolean => inProject && groupOf(name)?.name === "project";
  const wanted = profile.tools ? new Set(profile.tools.map(catalog.nameOf)) : findWanted(home, recent, specs);
  const chosen = specs.filter(({ name }) => wanted.has(name) || named.has(name) || isProjectTool(name));
  const offered = profile.tools ? chosen : bound(chosen, { named, home, recent });
  const names = offered.map(({ name }) => name);
  const isAll = names.length === specs.length;
  const catalogTools = isAll ? [] : catalog.specs.filter(({ name }) => name === FIND_TOOLS || name === USE_TOOL);
  return [...names, ...catalogTools.map(({ name }) => name)].toSorted();
}

/** How many tokens the definitions of these tools take. */
type CountTools = (specs: readonly ToolSpec[]) => number;

export type FittedTools = { readonly names: readonly string[]; readonly leftOut: number };

/**
 * Keeps the offered tools that fit `budget` tokens, in this order: named by the user, find_tools and use_tool, always
 * offered, groups whose intent matches, then by similarity to the conversation.
 */
export function fitTools(
  offered: readonly string[],
  choice: GateInput,
  budget: number,
  count: CountTools,
): FittedTools {
  const specs = choice.catalog.specs.filter(({ name }) => offered.includes(name));
  if (count(specs) <= budget) return { names: offered, leftOut: 0 };
  const { catalog, profile, inProject = false, exchange } = choice;
  const recent = exchange.slice(-RECENT_MESSAGES);
  const named = new Set([
    ...findNamed(recent, specs),
    ...recent.flatMap(({ tools = [] }) => tools.map(catalog.nameOf)),
  ]);
  const home = groups.filter(
    ({ name }) => open[profile.name]?.includes(name) === true || (inProject && name === "project"),
  );
  const isCatalogTool = (name: string): boolean => name === FIND_TOOLS || name === USE_TOOL;
  const rated = rate(specs, { named, home, recent }).toSorted(
    (a, b) =>
      Number(isCatalogTool(b.name)) +
      Number(named.has(b.name)) * 2 -
      Number(isCatalogTool(a.name)) -
      Number(named.has(a.name)) * 2,
  );
  let left = budget;
  const kept = rated.filter((spec) => {
    const tokens = count([spec]);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
  // find_tools and use_tool are useless without each other.
  const names = kept.map(({ name }) => name);
  const isWhole = names.filter(isCatalogTool).length !== 1;
  const useful = isWhole ? names : names.filter((name) => !isCatalogTool(name));
  return { names: useful.toSorted(), leftOut: specs.length - useful.length };
}

/** Tools that the user named by a command. */
const findNamed = (recent: readonly GateMessage[], specs: readonly ToolSpec[]): readonly string[] => {
  const names = specs.map(({ name }) => name);
  return recent
    .filter(({ role }) => role === "user")
    .flatMap(({ text }) => parseCommands(text, names).commands.map(({ tool }) => tool));
};

const groupOf = (tool: string): Group | undefined => groups.find(({ tools }) => tools.test(tool));

function findWanted(
  home: readonly Group[],
  recent: readonly GateMessage[],
  specs: readonly ToolSpec[],
): ReadonlySet<string> {
  const text = toConversationText(recent);
  const active = groups.filter((group) => home.includes(group) || group.intent.test(text));
  const isWanted = ({ name }: ToolSpec): boolean => {
    const group = groupOf(name);
    return always.has(name) || group === undefined || active.includes(group);
  };
  return new Set(specs.filter(isWanted).map(({ name }) => name));
}

/** The recent user messages and the last answer, because a "yes" refers to it. */
function toConversationText(recent: readonly GateMessage[]): string {
  const last = recent.findLast(({ role }) => role === "assistant");
  return recent
    .filter((message) => message.role === "user" || message === last)
    .map(({ text }) => text.slice(0, MAX_MESSAGE_CHARACTERS))
    .join("\n");
}

type Ranking = {
  readonly named: ReadonlySet<string>;
  readonly home: readonly Group[];
  readonly recent: readonly GateMessage[];
};

/** Keeps the best `MAX_OFFERED` tools; see `rate` for the order. */
function bound(chosen: readonly ToolSpec[], ranking: Ranking): readonly ToolSpec[] {
  return chosen.length <= MAX_OFFERED ? chosen : rate(chosen, ranking).slice(0, MAX_OFFERED);
}

/** Named tools first, then those always offered, then groups whose intent matches, then by similarity to the conversation. */
function rate(chosen: readonly ToolSpec[], { named, home, recent }: Ranking): readonly ToolSpec[] {
  const text = toConversationText(recent);
  const scores = rank(text, chosen.map(toSearchText));
  const active = groups.filter((group) => home.includes(group) || group.intent.test(text));
  const toTier = (name: string): number => {
    if (named.has(name)) return 3;
    if (always.has(name)) return 2;
    return active.some(({ tools }) => tools.test(name)) ? 1 : 0;
  };
  const rated = chosen.map((spec, at) => ({ spec, worth: toTier(spec.name) + (scores[at] ?? 0) }));
  return rated.toSorted((a, b) => b.worth - a.worth || (a.spec.name < b.spec.name ? -1 : 1)).map(({ spec }) => spec);
}
