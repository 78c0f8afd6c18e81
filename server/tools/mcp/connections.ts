import type { Clock } from "../../lib/clock.ts";
import type { OpenStream } from "../../net/open-stream.ts";
import { createConnection, type Connection, type ConnectionLimits } from "./connection.ts";
import type { SignIns } from "./transport/sign-in.ts";
import type { ServerSettings } from "./mcp-file.ts";

/** One connection for each program; one for each person and address, because what it may see is that person's. */
export type Connections = {
  readonly get: (userId: string, settings: ServerSettings) => Connection;
  readonly end: (userId: string, name: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

type Options = {
  readonly clock: Clock;
  readonly stream: OpenStream;
  readonly signIns: SignIns;
  readonly environment: Readonly<Record<string, string>>;
  readonly onNote: (note: string) => void;
  readonly limits?: Partial<ConnectionLimits>;
};

const REQUEST_MS = 15_000;
const IDLE_MS = 10 * 60_000;
const LOOK_MS = 60_000;

export function createConnections(options: Options): Connections {
  const { clock, stream, signIns, environment, onNote } = options;
  const timeoutMs = options.limits?.connectMs ?? REQUEST_MS;
  const people = new Map<string, Connection>();
  const programs = new Map<string, Connection>();
  const keyOf = (userId: string, name: string): string => JSON.stringify([userId, name]);

  const create = (userId: string, settings: ServerSettings): Connection =>
    createConnection({
      name: settings.name,
      clock,
      onNote,
      ...(options.limits ? { limits: options.limits } : {}),
      // The package takes a while to load: whoever has no servers does not wait for it.
      open: async (signal) => {
        if (settings.kind === "stdio") {
          const { openStdio } = await import("./transport/open-stdio.ts");
          return openStdio({ settings, environment, clock, timeoutMs, onNote }, signal);
        }
        const { openHttp } = await import("./transport/open-http.ts");
        return openHttp({ place: { userId, settings }, stream, signIns, clock, timeoutMs }, signal);
      },
    });

  const look = setInterval(() => {
    for (const [key, connection] of people) {
      if (clock.monotonic() - connection.lastUsedAt() < IDLE_MS) continue;
      people.delete(key);
      void connection.close();
    }
  }, LOOK_MS).unref();

  return {
    get: (userId, settings) => {
      const [map, key] = settings.kind === "stdio" ? [programs, settings.name] : [people, keyOf(userId, settings.name)];
      const known = map.get(key) ?? create(userId, settings);
      map.set(key, known);
      return known;
    },
    end: async (userId, name) => {
      const connection = people.get(keyOf(userId, name));
      people.delete(keyOf(userId, name));
      await connection?.close();
    },
    close: async () => {
      clearInterval(look);
      await Promise.all([...people.values(), ...programs.values()].map((connection) => connection.close()));
    },
  };
}
