import type { Catalog } from "../../tools/catalog.ts";
import { parseCommands, type FoundCommand } from "../../tools/commands.ts";

/** The commands in the person's words that a tool of this catalog answers to, in their order: one for each step. */
export const listCommands = (text: string, catalog: Catalog): readonly FoundCommand[] =>
  parseCommands(
    text,
    catalog.tools.flatMap(({ name, aliases = [] }) => [...aliases, name]),
  ).commands.flatMap((command) => {
    const tool = catalog.find(command.tool);
    return tool ? [{ ...command, tool: tool.name }] : [];
  });

/** Arguments that come with commands, by tool. Of two commands for one tool, the step's own counts, then the last one. */
export function listCommanded(
  text: string,
  step: number,
  catalog: Catalog,
): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const commands = listCommands(text, catalog);
  const own = commands[step - 1];
  return new Map([...commands, ...(own ? [own] : [])].map(({ tool, input }) => [tool, input]));
}
