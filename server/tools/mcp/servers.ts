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
import { createSignIns, type SignInAnswer } from "./transport/sign-in.ts";
import type { McpPrompt } from "./transport/prompts.ts";
import { toSentence } from "./transport/server-failure.ts";
import { createWebFetch } from "./transport/web-fetch.ts";
import { createPins, type Pin, type Pins } from "./pins.ts";
import { readMcpFile, type ServerSettings } from "./mcp-file.ts";
import { createUserServers, type UserServer } from "./transport/user-servers.ts";
import { hashDefinition, type Definition, toLines } from "./definition.ts";
import type { ToolList } from "./transport/link.ts";
import { offerTool } from "./offer-tool.ts";
import { nameTools } from "./tool-names.ts";
import { diffLines, type DiffLine } from "../../../protocol/diff-lines.ts";

/**
 * Offers the tools of MCP servers. Programs come only from the operator's file; users may add URLs, with a separate
 * connection and sign-in per user. Opening does not wait for any server, a catalog waits at most two seconds, and a failing server
 * only makes its own tool calls fail.
 */
export type McpServers = {
  readonly tools: (userId: string) => Promise<readonly Tool[]>;
  readonly status: (userId: string) => Promise<readonly ServerStatus[]>;
  /** The user accepts the changed definition with this hash. */
  readonly accept: (userId: string, server: string, tool: string, hash: string) => Promise<void>;
  /** Prompts of the servers that are connected. A server that does not answer is left out. */
  readonly listPrompts: (userId: string) => Promise<readonly (McpPrompt & { readonly server: string })[]>;
  /** The text of a prompt with these arguments. */
  readonly fillPrompt: (userId: string, server: string, prompt: PromptRequest) => Promise<string>;
  readonly add: (userId: string, server: UserServer) => Promise<void>;
  readonly remove: (userId: string, name: string) => Promise<void>;
  /** The URL at which the user signs in. */
  readonly signIn: (userId: string, server: string) => Promise<string>;
  /** `answer`: the parameters with which the browser returned to `callbackUrl`. */
  readonly finishSignIn: (userId: string, answer: SignInAnswer) => Promise<void>;
  readonly signOut: (userId: string, server: string) => Promise<void>;
  /** Resolves within two seconds, when all programs have exited. */
  readonly close: () => Promise<void>;
};

type PromptRequest = { readonly name: string; readonly arguments: Readonly<Record<string, string>> };

export type McpOptions = {
  /** The operator's configuration file. Throws `ConfigError` if it is invalid. */
  readonly file?: string | undefined;
  readonly clock: Clock;
  readonly stream: OpenStream;
  readonly read: Reads;
  readonly log: Pick<Log, "commit">;
  readonly seal: Seal;
  /** The URL to which authorization servers redirect the browser. */
  readonly callbackUrl: string;
  /** Writes to the operator's log. */
  readonly onNote: (note: string) => void;
  /** Environment variables of programs, in addition to those in the file. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ConnectionLimits>;
};

export function openMcpServers(options: McpOptions): McpServers {
  const { clock, stream, read, log, seal, callbackUrl } = options;
  const operatorServers = options.file === undefined ? [] : readMcpFile(options.file);
  const pins = createPins({ read, log, clock });
  const userServers = createUserServers({ read, log, seal });
  const signIns = createSignIns({ storage: createSignInStorage({ read, log, seal }), seal, callbackUrl });
  const connections = createConnections({
    ...options,
    environment: options.environment ?? minimalEnvironment,
    signIns,
  });
  for (const settings of operatorServers)
    if (settings.kind === "stdio") void connections.get("", settings).ensureConnected();

  const listServers = async (userId: string): Promise<readonly ServerSettings[]> => {
    const names = new Set(operatorServers.map(({ name }) => name));
    return [...operatorServers, ...(await userServers.list(userId)).filter(({ name }) => !names.has(name))];
  };
  const getServer = async (userId: string, name: string): Promise<ServerSettings> => {
    const found = (await listServers(userId)).find((settings) => settings.name === name);
    if (!found) throw new ApiError("not-found", "Not found.");
    return found;
  };
  const getSignInKey = async (userId: string, name: string): Promise<SignInKey> => {
    const settings = await getServer(userId, name);
    if (settings.kind !== "http") throw new ApiError("invalid", `${name} is a local program and has no sign-in.`);
    return { userId, settings };
  };
  const fetchFor = ({ settings }: SignInKey) => createWebFetch({ settings, stream, clock });

  return {
    tools: async (userId) => {
      const servers = await listServers(userId);
      await Promise.all(servers.map((settings) => connections.get(userId, settings).ensureConnected()));
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
      if (change?.hash !== hash)
        throw new ApiError("conflict", "The tool has changed again. Review the new definition.");
      await pins.replace(userId, server, change.definition);
    },
    listPrompts: async (userId) => {
      const servers = await listServers(userId);
      const lists = await Promise.all(
        servers.map(async (settings) => {
          const connection = connections.get(userId, settings);
          await connection.ensureConnected();
          if (connection.state().at !== "ready") return [];
          const found = await connection
            .getLink(AbortSignal.timeout(PROMPTS_MS))
            .then((link) => link.listPrompts())
            .catch(() => []);
          return found.map((prompt) => ({ ...prompt, server: settings.name }));
        }),
      );
      return lists.flat();
    },
    fillPrompt: async (userId, server, prompt) => {
      const connection = connections.get(userId, await getServer(userId, server));
      try {
        const link = await connection.getLink(AbortSignal.timeout(PROMPTS_MS));
        return await link.fillPrompt(prompt.name, prompt.arguments);
      } catch (error) {
        throw new ApiError("unavailable", `${server}: ${toSentence(error)}`);
      }
    },
    add: async (userId, server) => {
      if (operatorServers.some(({ name }) => name === server.name))
        throw new ApiError(
          "conflict",
          "The operator has already configured a server with this name. Choose another name.",
        );
      await connections.end(userId, server.name);
      await userServers.add(userId, server);
    },
    remove: async (userId, name) => {
      const key = await getSignInKey(userId, name);
      await connections.end(userId, name);
      await signIns.forget(key);
      await userServers.remove(userId, name);
    },
    signIn: async (userId, server) => {
      const key = await getSignInKey(userId, server);
      return signIns.start(key, fetchFor(key));
    },
    finishSignIn: async (userId, answer) => {
      const key = await getSignInKey(userId, signIns.readTicket(userId, answer.state));
      await signIns.finish(key, answer, fetchFor(key));
      await connections.get(userId, key.settings).reset();
    },
    signOut: async (userId, server) => {
      const key = await getSignInKey(userId, server);
      await signIns.forget(key);
      await connections.get(userId, key.settings).reset();
    },
    close: connections.close,
  };
}

const PROMPTS_MS = 15_000;

/** Enough to find and run a program. Excludes this process's own environment. */
const minimalEnvironment: Readonly<Record<string, string>> = {
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

/** Offers every tool as pinned, also those of disconnected servers, so that the prompt stays the same while they restart. */
async function offerTools({ userId, servers, connections, pins, onNote }: Options): Promise<readonly Tool[]> {
  const listed = await Promise.all(
    servers.map(async (settings) => {
      const list = connections.get(userId, settings).list();
      const pinned = list ? pins.pinNew(userId, settings.name, list.definitions) : pins.read(userId, settings.name);
      // If the tools of one server cannot be stored, the others are still offered.
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
  if (!current) throw new Error(`It no longer has a tool named "${name}".`);
  if (pins.get(name)?.hash !== hashDefinition(current))
    throw new Error(
      `Its tool "${name}" has changed since it was first used. It cannot be called until the user has reviewed and accepted ` +
        "the change.",
    );
}

/** The status of a server for one user. */
type ServerStatus = {
  readonly server: string;
  readonly kind: ServerSettings["kind"];
  readonly state: ConnectionState["at"];
  readonly why?: string;
  /** Names of the headers that the user entered. */
  readonly headers?: readonly string[];
  readonly tools: readonly { readonly tool: string; readonly title: string; readonly changed: boolean }[];
  /** Changed definitions that the user has not accepted yet. */
  readonly changes: readonly Change[];
  /** Tools that cannot be offered, each with its reason. */
  readonly problems: readonly string[];
};

type Change = {
  readonly tool: string;
  /** The hash of the new definition, so that only the reviewed version can be accepted. */
  readonly hash: string;
  readonly definition: Definition;
  readonly lines: readonly Pick<DiffLine, "sign" | "text">[];
};

function toStatus(settings: ServerSettings, connection: Connection, pins: ReadonlyMap<string, Pin>): ServerStatus {
  const { name, kind } = settings;
  const { definitions, problems } = connection.list() ?? { definitions: [], problems: [] };
  const { at, why } = connection.state();
  const changes = definitions.flatMap((definition) => toChange(definition, pins.get(definition.name)));
  const changed = new Set(changes.map(({ tool }) => tool));
  return {
    server: name,
    kind,
    state: at,
    ...(why === undefined ? {} : { why }),
    ...(settings.kind === "http" && settings.isOwn === true ? { headers: Object.keys(settings.headers) } : {}),
    tools: definitions.map((one) => ({ tool: one.name, title: one.title, changed: changed.has(one.name) })),
    changes,
    problems,
  };
}

function toChange(definition: Definition, pin: Pin | undefined): readonly Change[] {
  const hash = hashDefinition(definition);
  if (pin === undefined || pin.hash === hash) return [];
  const lines = diffLines(toLines(pin.definition), toLines(definition)).map(({ sign, text }) => ({ sign, text }));
  return [{ tool: definition.name, hash, definition, lines }];
}
