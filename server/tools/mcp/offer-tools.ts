import type { Tool } from "../tool.ts";
import type { Connections } from "./connections.ts";
import { hashDefinition, type Definition } from "./definition.ts";
import type { Pin, Pins } from "./pins.ts";
import type { ToolList } from "./transport/link.ts";
import type { ServerSettings } from "./mcp-file.ts";
import { offerTool } from "./offer-tool.ts";
import { nameTools } from "./tool-names.ts";

type Options = {
  readonly userId: string;
  readonly servers: readonly ServerSettings[];
  readonly connections: Connections;
  readonly pins: Pins;
  readonly onNote: (note: string) => void;
};

/** Every tool as it was pinned; those of a server that is away as well, so that a prompt does not change while it restarts. */
export async function offerTools({ userId, servers, connections, pins, onNote }: Options): Promise<readonly Tool[]> {
  const listed = await Promise.all(
    servers.map(async (settings) => {
      const list = connections.get(userId, settings).list();
      const pinned = list ? pins.keep(userId, settings.name, list.definitions) : pins.read(userId, settings.name);
      // One server whose tools cannot be stored must not take the tools of all others with it.
      const known = await pinned.catch((error: unknown) => {
        onNote(`The tools of the MCP server ${settings.name} are not offered: ${String(error)}`);
        return new Map<string, Pin>();
      });
      const names = list ? list.definitions.map(({ name }) => name) : [...known.keys()];
      return names.flatMap((name) => {
        const definition = known.get(name)?.definition;
        return definition ? [{ settings, definition }] : [];
      });
    }),
  );
  const all = listed.flat();
  const names = nameTools(all.map(({ settings, definition }) => ({ server: settings.name, tool: definition.name })));
  return all.map(({ settings, definition }, index) =>
    offerTool({
      name: names[index] ?? definition.name,
      definition,
      settings,
      connection: connections.get(userId, settings),
      check: async (list) => assertPinned(list, await pins.read(userId, settings.name), definition),
    }),
  );
}

function assertPinned(list: ToolList, pins: Awaited<ReturnType<Pins["read"]>>, { name }: Definition): void {
  const current = list.definitions.find((one) => one.name === name);
  if (!current) throw new Error(`It no longer has a tool "${name}".`);
  if (pins.get(name)?.hash !== hashDefinition(current))
    throw new Error(
      `Its tool "${name}" has changed since it was first used. It is not called until the person has looked at the change ` +
        "and accepted it.",
    );
}
