import type { Catalog } from "../../tools/catalog.ts";
import { parseCommands, type FoundCommand } from "../../tools/commands.ts";

/** Commands in the user's message for tools of this catalog, in order: one per step. */
export function listCommands(text: string, catalog: Catalog): readonly FoundCommand[] {
  if (!text.includes("@")) return [];
  const names = catalog.tools.flatMap(({ name, aliases = [] }) => [...aliases, name]);
  return parseCommands(text, names).commands.flatMap((command) => {
    const tool = catalog.find(command.tool);
    return tool ? [{ ...command, tool: tool.name }] : [];
  });
}

/** Arguments given in commands, by tool. If a tool has several commands, that of the current step wins, then the last one. */
export function listCommanded(
  text: string,
  step: number,
  catalog: Catalog,
): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const commands = listCommands(text, catalog);
  const own = commands[step - 1];
  return new Map([...commands, ...(own ? [own] : [])].map(({ tool, input }) => [tool, input]));
}
