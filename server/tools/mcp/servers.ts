import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ApiError } from "../../../protocol/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Seal } from "../../lib/seal.ts";
import type { Log } from "../../log/log.ts";
import type { OpenStream } from "../../net/open-stream.ts";
import type { Reads } from "../../store/contract.ts";
import type { Tool } from "../tool.ts";
import type { ConnectionLimits, Connection, ConnectionState } from "./connection.ts";
import { createConnections, type Connections } from "./connections.ts";
import { createSignInStorage, type SignInKey } from "./transport/sign-in-storage.ts";
import { createSignIns } from "./transport/sign-in.ts";
import { createWebFetch } from "./transport/web-fetch.ts";
import { createPins, type Pin, type Pins } from "./pins.ts";
import { readMcpFile, type ServerSettings } from "./mcp-file.ts";
import { createOwnServers, type OwnServer } from "./transport/own-servers.ts";
import { hashDefinition, type Definition, toLines } from "./definition.ts";
import type { ToolList } from "./transport/link.ts";
import { offerTool } from "./offer-tool.ts";
import { nameTools } from "./tool-names.ts";
import { diffLines, type DiffLine } from "./diff-lines.ts";

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
    if (settings.kind !== "http")
      throw new ApiError("invalid", `${name} is a program: there is nothing to sign in to.`);
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

type Options = {
  readonly userId: string;
  readonly servers: readonly ServerSettings[];
  readonly connections: Connections;
  readonly pins: Pins;
  readonly onNote: (note: string) => void;
};

/** Every tool as it was pinned; those of a server that is away as well, so that a prompt does not change while it restarts. */
async function offerTools({ userId, servers, connections, pins, onNote }: Options): Promise<readonly Tool[]> {
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

/** How a server is, for the person whose tools it offers. */
type ServerStatus = {
  readonly server: string;
  readonly kind: ServerSettings["kind"];
  readonly state: ConnectionState["at"];
  readonly why?: string;
  readonly tools: readonly { readonly tool: string; readonly title: string; readonly changed: boolean }[];
  /** What waits for the person's eyes. */
  readonly changes: readonly Change[];
  /** Tools that cannot be offered, each with its reason. */
  readonly problems: readonly string[];
};

type Change = {
  readonly tool: string;
  /** Of the new one: what is accepted is what was seen. */
  readonly hash: string;
  readonly definition: Definition;
  readonly lines: readonly DiffLine[];
};

function toStatus(
  { name, kind }: ServerSettings,
  connection: Connection,
  pins: ReadonlyMap<string, Pin>,
): ServerStatus {
  const { definitions, problems } = connection.list() ?? { definitions: [], problems: [] };
  const { at, why } = connection.state();
  const changes = definitions.flatMap((definition) => toChange(definition, pins.get(definition.name)));
  const changed = new Set(changes.map(({ tool }) => tool));
  return {
    server: name,
    kind,
    state: at,
    ...(why === undefined ? {} : { why }),
    tools: definitions.map((one) => ({ tool: one.name, title: one.title, changed: changed.has(one.name) })),
    changes,
    problems,
  };
}

function toChange(definition: Definition, pin: Pin | undefined): readonly Change[] {
  const hash = hashDefinition(definition);
  if (pin === undefined || pin.hash === hash) return [];
  const lines = diffLines(toLines(pin.definition), toLines(definition));
  return [{ tool: definition.name, hash, definition, lines }];
}
