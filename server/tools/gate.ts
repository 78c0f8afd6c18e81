import type { ToolSpec } from "../../protocol/model.ts";
import { rank } from "../rank/rank.ts";
import type { Catalog } from "./catalog.ts";
import { FIND_TOOLS, toSearchText, USE_TOOL } from "./find-tools.ts";
import { groups, type Group } from "./intents.ts";
import { parseCommands } from "./commands.ts";

export { USE_TOOL };

/** A message as the gate sees it. `tools`: those it called. */
export type GateMessage = {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly tools?: readonly string[];
};

export type GateInput = {
  readonly catalog: Pick<Catalog, "specs" | "nameOf">;
  /** `tools`: those of the job; null leaves the choice to what is talked about. */
  readonly profile: { readonly name: string; readonly tools: readonly string[] | null };
  /** The thread belongs to a project. */
  readonly inProject?: boolean;
  /** Newest last; the end of it counts. */
  readonly exchange: readonly GateMessage[];
};

/** As many as a model still chooses well among. */
const MOST_OFFERED = 24;
const LOOKED_AT = 6;
const READ_CHARACTERS = 4000;

const always = new Set(["now", "calculate", "read_artifact"]);
/** Groups that a job has at hand without being asked; the other groups wait for their words. */
const open: Readonly<Record<string, readonly Group["name"][]>> = {
  stone: ["web", "weather", "memory"],
  autopilot: ["web"],
  project: ["project"],
  builder: ["files"],
};

/**
 * Which tools stand in the prompt, by name. Pure: the caller keeps the answer for as long as the prompt is to begin the same.
 * What is left out can be found and used all the same, so a word that no pattern knows costs a step, not the answer.
 */
export function chooseTools({ catalog, profile, inProject = false, exchange }: GateInput): readonly string[] {
  // A profile with an empty list wants none, not even the two that find others.
  if (profile.tools?.length === 0) return [];
  const specs = catalog.specs.filter(({ name }) => name !== FIND_TOOLS && name !== USE_TOOL);
  const recent = exchange.slice(-LOOKED_AT);
  const named = new Set([
    ...findNamed(recent, specs),
    ...recent.flatMap(({ tools = [] }) => tools.map(catalog.nameOf)),
  ]);
  const home = groups.filter(
    ({ name }) => open[profile.name]?.includes(name) === true || (inProject && name === "project"),
  );
  const isHome = (name: string): boolean => inProject && groupOf(name)?.name === "project";
  const wanted = profile.tools ? new Set(profile.tools.map(catalog.nameOf)) : findWanted(home, recent, specs);
  const chosen = specs.filter(({ name }) => wanted.has(name) || named.has(name) || isHome(name));
  const offered = profile.tools ? chosen : bound(chosen, { named, home, recent });
  const names = offered.map(({ name }) => name);
  const isAll = names.length === specs.length;
  const ways = isAll ? [] : catalog.specs.filter(({ name }) => name === FIND_TOOLS || name === USE_TOOL);
  return [...names, ...ways.map(({ name }) => name)].toSorted();
}

/** How many tokens the definitions of these tools take. */
type CountTools = (specs: readonly ToolSpec[]) => number;

export type FittedTools = { readonly names: readonly string[]; readonly leftOut: number };

/**
 * As many of the offered tools as take at most `budget` tokens, in order of use: named by the user, the two that find and call
 * all others, those always at hand, those called for, then by nearness to the talk.
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
  const recent = exchange.slice(-LOOKED_AT);
  const named = new Set([
    ...findNamed(recent, specs),
    ...recent.flatMap(({ tools = [] }) => tools.map(catalog.nameOf)),
  ]);
  const home = groups.filter(
    ({ name }) => open[profile.name]?.includes(name) === true || (inProject && name === "project"),
  );
  const isWay = (name: string): boolean => name === FIND_TOOLS || name === USE_TOOL;
  const rated = rate(specs, { named, home, recent }).toSorted(
    (a, b) =>
      Number(isWay(b.name)) + Number(named.has(b.name)) * 2 - Number(isWay(a.name)) - Number(named.has(a.name)) * 2,
  );
  let left = budget;
  const kept = rated.filter((spec) => {
    const tokens = count([spec]);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
  // One of the two ways to a tool that is not offered is of no use without the other.
  const names = kept.map(({ name }) => name);
  const isWhole = names.filter(isWay).length !== 1;
  const useful = isWhole ? names : names.filter((name) => !isWay(name));
  return { names: useful.toSorted(), leftOut: specs.length - useful.length };
}

/** Called by their name or command. */
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
  const words = toWords(recent);
  const awake = groups.filter((group) => home.includes(group) || group.intent.test(words));
  const isWanted = ({ name }: ToolSpec): boolean => {
    const group = groupOf(name);
    return always.has(name) || group === undefined || awake.includes(group);
  };
  return new Set(specs.filter(isWanted).map(({ name }) => name));
}

/** What the person said lately, and what they were told last: a "yes" answers that. */
function toWords(recent: readonly GateMessage[]): string {
  const last = recent.findLast(({ role }) => role === "assistant");
  return recent
    .filter((spoken) => spoken.role === "user" || spoken === last)
    .map(({ text }) => text.slice(0, READ_CHARACTERS))
    .join("\n");
}

type Nearness = {
  readonly named: ReadonlySet<string>;
  readonly home: readonly Group[];
  readonly recent: readonly GateMessage[];
};

/** When there are too many: those that were named, those always at hand, those called for, then by nearness to the talk. */
function bound(chosen: readonly ToolSpec[], nearness: Nearness): readonly ToolSpec[] {
  return chosen.length <= MOST_OFFERED ? chosen : rate(chosen, nearness).slice(0, MOST_OFFERED);
}

/** The most useful first. */
function rate(chosen: readonly ToolSpec[], { named, home, recent }: Nearness): readonly ToolSpec[] {
  const words = toWords(recent);
  const scores = rank(words, chosen.map(toSearchText));
  const called = groups.filter((group) => home.includes(group) || group.intent.test(words));
  const toPlace = (name: string): number => {
    if (named.has(name)) return 3;
    if (always.has(name)) return 2;
    return called.some(({ tools }) => tools.test(name)) ? 1 : 0;
  };
  const rated = chosen.map((spec, at) => ({ spec, worth: toPlace(spec.name) + (scores[at] ?? 0) }));
  return rated.toSorted((a, b) => b.worth - a.worth || (a.spec.name < b.spec.name ? -1 : 1)).map(({ spec }) => spec);
}
