/** The rules of a robots.txt that apply to our agent, according to RFC 9309; invalid lines are ignored. */
export type RobotsRules = readonly Rule[];
type Rule = { readonly isAllowed: boolean; readonly pattern: string };
type Group = { readonly agents: readonly string[]; readonly rules: Rule[] };

/** Limit per site, which keeps matching fast. */
const MAX_CHARACTERS = 64 * 1024;
const MATCHED_CHARACTERS = 2048;

export function parseRobots(text: string, agent: string): RobotsRules {
  const groups = toGroups(text.replace(/^\uFEFF/, ""));
  const lengths = groups.map(({ agents }) =>
    agents.reduce((most, name) => Math.max(most, toMatchLength(name, agent.toLowerCase())), -1),
  );
  const longest = lengths.reduce((most, length) => Math.max(most, length), -1);
  if (longest < 0) return [];
  let left = MAX_CHARACTERS;
  return groups
    .flatMap(({ rules }, index) => (lengths[index] === longest ? rules : []))
    .filter(({ pattern }) => (left -= pattern.length + 1) >= 0);
}

/** -1: no match. The group for all agents is the shortest match. */
function toMatchLength(name: string, agent: string): number {
  if (name === "*") return 0;
  return name !== "" && agent.startsWith(name) ? name.length : -1;
}

function toGroups(text: string): readonly Group[] {
  const groups: Group[] = [];
  let agents: string[] = [];
  let current: Group | undefined;
  for (const line of text.split(/\r\n?|\n/)) {
    const [rule = ""] = line.split("#", 1);
    const [start = "", key = ""] = /^\s*([\w-]+)(?:\s*:|\s)/.exec(rule) ?? [];
    const value = rule.slice(start.length).trim();
    const verb = key.toLowerCase();
    if (verb === "user-agent") {
      if (current) [agents, current] = [[], undefined];
      agents.push(toToken(value));
    }
    if ((verb !== "allow" && verb !== "disallow") || agents.length === 0) continue;
    if (!current) groups.push((current = { agents, rules: [] }));
    // An empty rule matches nothing, but still ends a list of agents.
    if (value !== "") current.rules.push({ isAllowed: verb === "allow", pattern: toComparable(value) });
  }
  return groups;
}

const toToken = (value: string): string =>
  value.startsWith("*") ? "*" : (/^[a-z_-]+/i.exec(value)?.[0] ?? "").toLowerCase();

/** The longest matching rule decides; allow wins a tie. */
export function isPathAllowed(rules: RobotsRules, { pathname, search }: URL): boolean {
  if (pathname === "/robots.txt") return true;
  const path = toComparable(pathname + search).slice(0, MATCHED_CHARACTERS);
  let best: Rule | undefined;
  for (const rule of rules) {
    const gain = rule.pattern.length - (best?.pattern.length ?? -1);
    if (gain < 0 || (gain === 0 && !rule.isAllowed)) continue;
    if (isMatch(rule.pattern, path)) best = rule;
  }
  return best?.isAllowed ?? true;
}

/** `*` matches anything, `$` at the end matches the end. Not a regular expression, because the pattern is untrusted. */
function isMatch(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith("$");
  const [first = "", ...rest] = (isAnchored ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(first)) return false;
  const last = isAnchored ? rest.pop() : undefined;
  if (isAnchored && last === undefined) return path === first;
  let at = first.length;
  for (const piece of rest) {
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return last === undefined || (path.length - last.length >= at && path.endsWith(last));
}

/** One spelling per octet: unescaped where no escape is needed, otherwise an uppercase escape. */
const toComparable = (path: string): string =>
  path
    .replace(/[^\x21-\x7e]+/gu, (text) => encodeURIComponent(text.toWellFormed()))
    .replace(/%[\da-f]{2}/gi, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
    });
