import type { Catalog } from "../../tools/catalog.ts";
import { parseCommands, type FoundCommand } from "../../tools/commands.ts";

/** The commands in the person's words that a tool of this catalog answers to, in their order: one for each step. */
export const listCommands = (text: string, catalog: Catalog): readonly FoundCommand[] =>
  parseCommands(
    text,
    catalog.specs.map(({ name }) => name),
  ).commands.filter(({ tool }) => catalog.find(tool) !== undefined);
