import type { Command } from "./commands.ts";
import { findCommands } from "./find-commands.ts";

export type PaletteGroup = { readonly title: string; readonly commands: readonly Command[] };

const mostFound = 50;
const mostInGroup = 6;
/** Short groups that are always shown completely. */
const whole: ReadonlySet<string> = new Set(["This thread", "Go to", "Settings"]);
const mostLately = 5;
/** Long groups that are shown only in search results. */
const onlyFound: ReadonlySet<string> = new Set(["Model", "Move"]);

/** Groups for the palette: by topic without a query, else one group by relevance. */
export function groupCommands(
  all: readonly Command[],
  query: string,
  recent: readonly string[],
): readonly PaletteGroup[] {
  if (query.trim() !== "") {
    const found = findCommands(all, query, recent).slice(0, mostFound);
    return found.length === 0 ? [] : [{ title: "Found", commands: found }];
  }
  const lately = recent.flatMap((id) => all.find((command) => command.id === id) ?? []).slice(0, mostLately);
  const rest = all.filter(({ id, group }) => !onlyFound.has(group) && !lately.some((command) => command.id === id));
  const groups = [...Map.groupBy(rest, ({ group }) => group)].map(([title, commands]) => ({
    title,
    commands: whole.has(title) ? commands : commands.slice(0, mostInGroup),
  }));
  return [...(lately.length > 0 ? [{ title: "Lately", commands: lately }] : []), ...groups];
}
