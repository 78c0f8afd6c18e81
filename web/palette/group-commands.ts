import type { Command } from "./commands.ts";
import { palette as strings } from "../strings/palette.ts";
import { findCommands } from "./find-commands.ts";

export type PaletteGroup = { readonly title: string; readonly commands: readonly Command[] };

const mostFound = 50;
const mostInGroup = 6;
/** Short groups that are always shown completely. */
const alwaysComplete: ReadonlySet<string> = new Set([
  strings.groups.thread,
  strings.groups.goTo,
  strings.groups.settings,
]);
const mostRecent = 5;
/** Long groups that are shown only in search results. */
const onlyInResults: ReadonlySet<string> = new Set([strings.groups.model, strings.groups.move]);

/** Groups for the palette: by topic without a query, else one group by relevance. */
export function groupCommands(
  all: readonly Command[],
  query: string,
  recent: readonly string[],
): readonly PaletteGroup[] {
  if (query.trim() !== "") {
    const found = findCommands(all, query, recent).slice(0, mostFound);
    return found.length === 0 ? [] : [{ title: strings.groups.results, commands: found }];
  }
  const latest = recent.flatMap((id) => all.find((command) => command.id === id) ?? []).slice(0, mostRecent);
  const rest = all.filter(({ id, group }) => !onlyInResults.has(group) && !latest.some((command) => command.id === id));
  const groups = [...Map.groupBy(rest, ({ group }) => group)].map(([title, commands]) => ({
    title,
    commands: alwaysComplete.has(title) ? commands : commands.slice(0, mostInGroup),
  }));
  return [...(latest.length > 0 ? [{ title: strings.groups.recent, commands: latest }] : []), ...groups];
}
