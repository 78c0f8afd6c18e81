import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../log/log.ts";
import type { Reads, Write } from "../../store/contract.ts";
import { hashDefinition, type Definition } from "./definition.ts";

/**
 * Tool definitions as they were when first offered to a user. If a definition changes, the tool is not called and its new
 * description is not shown to a model until the user accepts the change.
 */
export type Pins = {
  readonly read: (owner: string, server: string) => Promise<ReadonlyMap<string, Pin>>;
  /** Pins the definitions that have no pin yet and returns all pins. */
  readonly pinNew: (
    owner: string,
    server: string,
    definitions: readonly Definition[],
  ) => Promise<ReadonlyMap<string, Pin>>;
  /** The user accepted this definition. */
  readonly replace: (owner: string, server: string, definition: Definition) => Promise<void>;
};

export type Pin = { readonly hash: string; readonly definition: Definition };

/** Only this file writes these rows, so the definition is not validated again. */
const Body = z.object({ v: z.literal(1), definition: z.custom<Definition>() });
const MAX_TRIES = 3;

type Options = { readonly read: Pick<Reads, "mcpPins">; readonly log: Pick<Log, "commit">; readonly clock: Clock };

export function createPins({ read, log, clock }: Options): Pins {
  const readAll = async (owner: string, server: string): Promise<ReadonlyMap<string, Pin>> => {
    const rows = await read.mcpPins(owner, server);
    return new Map(
      rows.map(({ tool, hash, body }) => [tool, { hash, definition: Body.parse(JSON.parse(body)).definition }]),
    );
  };

  const toWrite = (verb: "insert" | "put", owner: string, server: string, definition: Definition): Write => ({
    do: verb,
    table: "mcp_pins",
    row: {
      owner,
      server,
      tool: definition.name,
      hash: hashDefinition(definition),
      body: JSON.stringify({ v: 1, definition }),
      created_at: clock.now(),
    },
  });

  const pinNew: Pins["pinNew"] = async (owner, server, definitions) => {
    for (let tries = 1; ; tries += 1) {
      const pins = await readAll(owner, server);
      const missing = definitions.filter(({ name }) => !pins.has(name));
      if (missing.length === 0) return pins;
      const writes = missing.map((definition) => toWrite("insert", owner, server, definition));
      const { ok } = await log.commit({ events: [], writes });
      // Another request pinned one of them concurrently: read again, the stored pin wins.
      if (!ok && tries === MAX_TRIES) throw new Error(`The tools of ${server} could not be pinned.`);
    }
  };

  return {
    read: readAll,
    pinNew,
    replace: async (owner, server, definition) => {
      await log.commit({ events: [], writes: [toWrite("put", owner, server, definition)] });
    },
  };
}
