import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ApiError } from "../../../protocol/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Seal } from "../../lib/seal.ts";
import type { Log } from "../../log/log.ts";
import type { OpenStream } from "../../net/open-stream.ts";
import type { Reads } from "../../store/contract.ts";
import type { Tool } from "../tool.ts";
import type { ConnectionLimits } from "./connection.ts";
import { createConnections } from "./connections.ts";
import { createSignInStorage, type SignInKey } from "./transport/sign-in-storage.ts";
import { createSignIns } from "./transport/sign-in.ts";
import { createWebFetch } from "./transport/web-fetch.ts";
import { createPins } from "./pins.ts";
import { toStatus, type ServerStatus } from "./status.ts";
import { readMcpFile, type ServerSettings } from "./mcp-file.ts";
import { offerTools } from "./offer-tools.ts";
import { createOwnServers, type OwnServer } from "./transport/own-servers.ts";

/**
 * MCP servers in, tools of our contract out. Programs come from the operator's file only; addresses also from people, each with
 * their own connection and sign-in. Opening waits for nobody, a catalog for two seconds at most, and whatever a server does is
 * an error of its own tools, never of the process.
 */
export type McpServers = {
  readonly tools: (userId: string) => Promise<readonly Tool[]>;
  readonly status: (userId: string) => Promise<readonly ServerStatus[]>;
  /** The person has seen the change whose new hash this is. */
  readonly accept: (userId: string, server: string, tool: string, hash: string) => Promise<void>;
  readonly add: (userId: string, server: OwnServer) => Promise<void>;
  readonly remove: (userId: string, name: string) => Promise<void>;
  /** The address at which the person signs in. */
  readonly signIn: (userId: string, server: string) => Promise<string>;
  /** With what the browser brought back to `callbackUrl`. */
  readonly finishSignIn: (userId: string, answer: { readonly state: string; readonly code: string }) => Promise<void>;
  readonly signOut: (userId: string, server: string) => Promise<void>;
  /** All programs are gone when it resolves, within two seconds. */
  readonly close: () => Promise<void>;
};

export type McpOptions = {
  /** The operator's; a `ConfigError` when it cannot be used. */
  readonly file?: string | undefined;
  readonly clock: Clock;
  readonly stream: OpenStream;
  readonly read: Reads;
  readonly log: Pick<Log, "commit">;
  readonly seal: Seal;
  /** Where authorization servers send the browser back to. */
  readonly callbackUrl: string;
  /** For the operator's log. */
  readonly onNote: (note: string) => void;
  /** What programs see beside the variables that the file names for them. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ConnectionLimits>;
};

export function openMcpServers(options: McpOptions): McpServers {
  const { clock, stream, read, log, seal, callbackUrl } = options;
  const operators = options.file === undefined ? [] : readMcpFile(options.file);
  const pins = createPins({ read, log, clock });
  const own = createOwnServers({ read, log, seal });
  const signIns = createSignIns({ kept: createSignInStorage({ read, log, seal }), seal, callbackUrl });
  const connections = createConnections({ ...options, environment: options.environment ?? plainEnvironment, signIns });
  for (const settings of operators) if (settings.kind === "stdio") void connections.get("", settings).want();

  const listServers = async (userId: string): Promise<readonly ServerSettings[]> => {
    const names = new Set(operators.map(({ name }) => name));
    return [...operators, ...(await own.list(userId)).filter(({ name }) => !names.has(name))];
  };
  const getServer = async (userId: string, name: string): Promise<ServerSettings> => {
    const found = (await listServers(userId)).find((settings) => settings.name === name);
    if (!found) throw new ApiError("not-found", "There is no such MCP server.");
    return found;
  };
  const getPlace = async (userId: string, name: string): Promise<SignInKey> => {
    const settings = await getServer(userId, name);
    if (settings.kind !== "http") throw new ApiError("invalid", `${name} is a program: there is nothing to sign in to.`);
    return { userId, settings };
  };
  const fetchFor = ({ settings }: SignInKey) => createWebFetch({ settings, stream, clock });

  return {
    tools: async (userId) => {
      const servers = await listServers(userId);
      await Promise.all(servers.map((settings) => connections.get(userId, settings).want()));
      return offerTools({ userId, servers, connections, pins, onNote: options.onNote });
    },
    status: async (userId) => {
      const servers = await listServers(userId);
      return Promise.all(
        servers.map(async (settings) =>
          toStatus(settings, connections.get(userId, settings), await pins.read(userId, settings.name)),
        ),
      );
    },
    accept: async (userId, server, tool, hash) => {
      const connection = connections.get(userId, await getServer(userId, server));
      const { changes } = toStatus(await getServer(userId, server), connection, await pins.read(userId, server));
      const change = changes.find((one) => one.tool === tool);
      if (change?.hash !== hash) throw new ApiError("conflict", "The tool is not what you saw; look at it again.");
      await pins.replace(userId, server, change.definition);
    },
    add: async (userId, server) => {
      if (operators.some(({ name }) => name === server.name))
        throw new ApiError("conflict", "The operator has set up a server of this name.");
      await connections.end(userId, server.name);
      await own.add(userId, server);
    },
    remove: async (userId, name) => {
      const place = await getPlace(userId, name);
      await connections.end(userId, name);
      await signIns.forget(place);
      await own.remove(userId, name);
    },
    signIn: async (userId, server) => {
      const place = await getPlace(userId, server);
      return signIns.start(place, fetchFor(place));
    },
    finishSignIn: async (userId, answer) => {
      const place = await getPlace(userId, signIns.readTicket(userId, answer.state));
      await signIns.finish(place, answer, fetchFor(place));
      await connections.get(userId, place.settings).reset();
    },
    signOut: async (userId, server) => {
      const place = await getPlace(userId, server);
      await signIns.forget(place);
      await connections.get(userId, place.settings).reset();
    },
    close: connections.close,
  };
}

/** Enough to find and run a program, and nothing of what this process was started with. */
const plainEnvironment: Readonly<Record<string, string>> = {
  HOME: homedir(),
  PATH: [
    dirname(process.execPath),
    join(homedir(), ".local/bin"),
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
  ].join(":"),
};
