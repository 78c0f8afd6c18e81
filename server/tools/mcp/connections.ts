import type { Clock } from "../../lib/clock.ts";
import type { OpenStream } from "../../net/open-stream.ts";
import { createConnection, type Connection, type ConnectionLimits } from "./connection.ts";
import type { SignIns } from "./transport/sign-in.ts";
import type { ServerSettings } from "./mcp-file.ts";

/** One connection per program, shared by all users; one per user and URL, because each user signs in separately. */
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
const SWEEP_MS = 60_000;

export function createConnections(options: Options): Connections {
  const { clock, stream, signIns, environment, onNote } = options;
  const timeoutMs = options.limits?.connectMs ?? REQUEST_MS;
  const userConnections = new Map<string, Connection>();
  const programConnections = new Map<string, Connection>();
  const keyOf = (userId: string, name: string): string => JSON.stringify([userId, name]);

  const create = (userId: string, settings: ServerSettings): Connection =>
    createConnection({
      name: settings.name,
      clock,
      onNote,
      ...(options.limits ? { limits: options.limits } : {}),
      // Loaded on demand: the MCP SDK is slow to load and not needed without servers.
      open: async (signal) => {
        if (settings.kind === "stdio") {
          const { openStdio } = await import("./transport/open-stdio.ts");
          return openStdio({ settings, environment, clock, timeoutMs, onNote }, signal);
        }
        const { openHttp } = await import("./transport/open-http.ts");
        return openHttp({ key: { userId, settings }, stream, signIns, clock, timeoutMs }, signal);
      },
    });

  const sweep = setInterval(() => {
    for (const [key, connection] of userConnections) {
      if (!connection.isIdle(IDLE_MS)) continue;
      userConnections.delete(key);
      void connection.close();
    }
  }, options.limits?.sweepMs ?? SWEEP_MS).unref();

  return {
    get: (userId, settings) => {
      const [map, key] =
        settings.kind === "stdio"
          ? [programConnections, settings.name]
          : [userConnections, keyOf(userId, settings.name)];
      const known = map.get(key) ?? create(userId, settings);
      map.set(key, known);
      return known;
    },
    end: async (userId, name) => {
      const connection = userConnections.get(keyOf(userId, name));
      userConnections.delete(keyOf(userId, name));
      await connection?.close();
    },
    close: async () => {
      clearInterval(sweep);
      await Promise.all(
        [...userConnections.values(), ...programConnections.values()].map((connection) => connection.close()),
      );
    },
  };
}
