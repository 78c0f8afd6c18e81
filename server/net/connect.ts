import { request } from "node:http";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { untilAborted, type Deadline } from "./deadline.ts";
import { NetError } from "./net-error.ts";
import { systemResolve, type Resolve, type Target } from "./target.ts";

/**
 * Opens a socket for HTTP to a checked target: directly or through the operator's proxy, with or without TLS. The proxy
 * gets a CONNECT request to the checked address, for plain HTTP too, and never a name: it would resolve the name again,
 * and could get an internal address.
 */
export type Connection = { readonly socket: Socket };

export type Endpoint = { readonly address: string; readonly port: number };
export type Dial = (to: Endpoint, signal: AbortSignal) => Promise<Socket>;

type ConnectOptions = {
  readonly dial: Dial;
  readonly resolve: Resolve;
  readonly proxy: URL | null;
  /** Additional trusted certificates, as PEM. */
  readonly ca?: string | undefined;
  readonly connectMs: number;
  readonly idleMs: number;
};

/** Maximum number of addresses to try. */
const MAX_ATTEMPTS = 4;

type ConnectInput = Partial<Pick<ConnectOptions, "dial" | "resolve" | "ca" | "connectMs">> & {
  readonly proxy?: string | null;
};

export const toConnectOptions = (given: ConnectInput, idleMs: number): ConnectOptions => ({
  dial: given.dial ?? dialTcp,
  resolve: given.resolve ?? systemResolve,
  proxy: given.proxy ? new URL(given.proxy) : null,
  ca: given.ca,
  connectMs: given.connectMs ?? 5000,
  idleMs,
});

export async function connect(target: Target, options: ConnectOptions, deadline: Deadline): Promise<Connection> {
  const isSecure = target.url.protocol === "https:";
  const { proxy } = options;
  const socket =
    proxy === null || target.isPrivate
      ? await dialFirst(target, options, deadline)
      : await tunnelFirst(target, proxy, options, deadline);
  return { socket: isSecure ? await secure(socket, target.name, options, deadline) : socket };
}

async function tunnelFirst(target: Target, proxy: URL, options: ConnectOptions, deadline: Deadline): Promise<Socket> {
  const headers = toProxyHeaders(proxy);
  let failure: unknown = new NetError("connect", `${target.name} could not be reached.`);
  for (const address of target.addresses.slice(0, MAX_ATTEMPTS)) {
    const plain = await dialProxy(proxy, options, deadline);
    try {
      return await openTunnel(plain, { name: target.name, address, port: target.port }, headers, deadline);
    } catch (error) {
      deadline.signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

export const dialTcp: Dial = ({ address, port }, signal) =>
  new Promise((resolve, reject) => {
    const socket = connectTcp({ host: address, port, noDelay: true, autoSelectFamily: false });
    const stop = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    const settle = (): void => signal.removeEventListener("abort", stop);
    socket.once("connect", () => resolve(socket)).once("connect", settle);
    socket.on("error", reject).once("close", settle);
    if (signal.aborted) stop();
  });

async function dialFirst(
  to: { readonly name: string; readonly addresses: readonly string[]; readonly port: number },
  options: ConnectOptions,
  deadline: Deadline,
): Promise<Socket> {
  let cause: unknown;
  for (const address of to.addresses.slice(0, MAX_ATTEMPTS)) {
    const patience = AbortSignal.any([deadline.signal, AbortSignal.timeout(options.connectMs)]);
    try {
      const dialled = options.dial({ address, port: to.port }, patience);
      const socket = await untilAborted(patience, dialled, (late) => late.destroy());
      return watch(socket, options, deadline);
    } catch (error) {
      deadline.signal.throwIfAborted();
      cause = error;
    }
  }
  throw new NetError("connect", `${to.name} could not be reached.`, { cause });
}

/** The socket closes with its deadline; silence longer than `idleMs` fails the call. */
function watch(socket: Socket, options: ConnectOptions, deadline: Deadline): Socket {
  const stop = (): void => void socket.destroy();
  deadline.signal.addEventListener("abort", stop, { once: true });
  socket.once("close", () => deadline.signal.removeEventListener("abort", stop));
  socket.on("error", () => {});
  socket.setTimeout(options.idleMs, () => deadline.fail(new NetError("timeout", "The server stopped sending.")));
  if (deadline.signal.aborted) stop();
  return socket;
}

function secure(socket: Socket, name: string, options: ConnectOptions, deadline: Deadline): Promise<Socket> {
  socket.setTimeout(0);
  const identity = isIP(name) ? { host: name } : { host: name, servername: name };
  const trust = options.ca === undefined ? {} : { ca: options.ca };
  const secured = connectTls({ socket, ...identity, ...trust, ALPNProtocols: ["http/1.1"], rejectUnauthorized: true });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  secured.once("secureConnect", () => resolve(secured));
  secured.once("error", (cause: NodeJS.ErrnoException) => {
    reject(
      new NetError("tls", `Could not open a secure connection to ${name} (${cause.code ?? "failed"}).`, { cause }),
    );
  });
  secured.once("close", () => reject(new NetError("tls", `${name} closed the connection during the TLS handshake.`)));
  watch(secured, options, deadline);
  return untilAborted(deadline.signal, promise);
}

async function dialProxy(proxy: URL, options: ConnectOptions, deadline: Deadline): Promise<Socket> {
  const name = proxy.hostname.replace(/^\[|\]$/g, "");
  const resolved = isIP(name) ? Promise.resolve([name]) : options.resolve(name);
  const addresses = await untilAborted(deadline.signal, resolved).catch((cause: unknown) => {
    deadline.signal.throwIfAborted();
    throw new NetError("dns", "The proxy's host name could not be resolved.", { cause });
  });
  const isSecure = proxy.protocol === "https:";
  const port = proxy.port === "" ? (isSecure ? 443 : 80) : Number(proxy.port);
  const socket = await dialFirst({ name: "The proxy", addresses, port }, options, deadline);
  return isSecure ? secure(socket, name, options, deadline) : socket;
}

function toProxyHeaders({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

function openTunnel(
  socket: Socket,
  { name, address, port }: { readonly name: string; readonly address: string; readonly port: number },
  headers: Readonly<Record<string, string>>,
  deadline: Deadline,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  let isOpen = false;
  const refuse = (why: string, cause?: unknown): void => {
    if (isOpen) return;
    socket.destroy();
    reject(new NetError("connect", `The proxy could not connect to ${name} (${why}).`, { cause }));
  };
  const path = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const sent = request({
    method: "CONNECT",
    path,
    headers: { host: path, ...headers },
    createConnection: () => socket,
  });
  sent.once("connect", ({ statusCode }, _socket, head: Buffer) => {
    if (statusCode !== 200) return refuse(`status ${statusCode}`);
    if (head.length > 0) return refuse("unexpected data from the proxy");
    isOpen = true;
    return resolve(socket);
  });
  sent.on("error", (cause: NodeJS.ErrnoException) => refuse(cause.code ?? "failed", cause));
  sent.once("close", () => refuse("closed"));
  sent.end();
  return untilAborted(deadline.signal, promise);
}
