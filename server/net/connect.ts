import { request } from "node:http";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { untilAborted, type Deadline } from "./deadline.ts";
import { NetError } from "./net-error.ts";
import type { Resolve, Target } from "./target.ts";

/**
 * From a checked target to a socket that HTTP can be spoken on: directly or through the operator's proxy, with TLS or not. A proxy
 * is asked for a tunnel to the address that was checked, for plain HTTP too, and never for a name: it would look the name
 * up again, and another answer could lead inside.
 */
export type Connection = { readonly socket: Socket };

export type Endpoint = { readonly address: string; readonly port: number };
export type Dial = (to: Endpoint, signal: AbortSignal) => Promise<Socket>;

export type Way = {
  readonly dial: Dial;
  readonly resolve: Resolve;
  readonly proxy: URL | null;
  /** Further certificates to trust, as PEM. */
  readonly ca?: string | undefined;
  readonly connectMs: number;
  readonly idleMs: number;
};

/** More addresses than this are not tried. */
const MOST_ATTEMPTS = 4;

export async function connect(target: Target, way: Way, deadline: Deadline): Promise<Connection> {
  const isSecure = target.url.protocol === "https:";
  const { proxy } = way;
  const socket =
    proxy === null || target.isPrivate
      ? await dialFirst(target, way, deadline)
      : await tunnelFirst(target, proxy, way, deadline);
  return { socket: isSecure ? await secure(socket, target.name, way, deadline) : socket };
}

async function tunnelFirst(target: Target, proxy: URL, way: Way, deadline: Deadline): Promise<Socket> {
  const headers = toProxyHeaders(proxy);
  let failure: unknown = new NetError("connect", `${target.name} could not be reached.`);
  for (const address of target.addresses.slice(0, MOST_ATTEMPTS)) {
    const plain = await dialProxy(proxy, way, deadline);
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
  way: Way,
  deadline: Deadline,
): Promise<Socket> {
  let cause: unknown;
  for (const address of to.addresses.slice(0, MOST_ATTEMPTS)) {
    const patience = AbortSignal.any([deadline.signal, AbortSignal.timeout(way.connectMs)]);
    try {
      const dialled = way.dial({ address, port: to.port }, patience);
      const socket = await untilAborted(patience, dialled, (late) => late.destroy());
      return watch(socket, way, deadline);
    } catch (error) {
      deadline.signal.throwIfAborted();
      cause = error;
    }
  }
  throw new NetError("connect", `${to.name} could not be reached.`, { cause });
}

/** From here on a socket ends with its deadline, and a silent one ends the call. */
function watch(socket: Socket, way: Way, deadline: Deadline): Socket {
  const stop = (): void => void socket.destroy();
  deadline.signal.addEventListener("abort", stop, { once: true });
  socket.once("close", () => deadline.signal.removeEventListener("abort", stop));
  socket.on("error", () => {});
  socket.setTimeout(way.idleMs, () => deadline.fail(new NetError("timeout", "The other side stopped sending.")));
  if (deadline.signal.aborted) stop();
  return socket;
}

function secure(socket: Socket, name: string, way: Way, deadline: Deadline): Promise<Socket> {
  socket.setTimeout(0);
  const identity = isIP(name) ? { host: name } : { host: name, servername: name };
  const trust = way.ca === undefined ? {} : { ca: way.ca };
  const secured = connectTls({ socket, ...identity, ...trust, ALPNProtocols: ["http/1.1"], rejectUnauthorized: true });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  secured.once("secureConnect", () => resolve(secured));
  secured.once("error", (cause: NodeJS.ErrnoException) => {
    reject(new NetError("tls", `No secure connection to ${name} (${cause.code ?? "failed"}).`, { cause }));
  });
  secured.once("close", () => reject(new NetError("tls", `${name} ended the secure connection.`)));
  watch(secured, way, deadline);
  return untilAborted(deadline.signal, promise);
}

async function dialProxy(proxy: URL, way: Way, deadline: Deadline): Promise<Socket> {
  const name = proxy.hostname.replace(/^\[|\]$/g, "");
  const resolved = isIP(name) ? Promise.resolve([name]) : way.resolve(name);
  const addresses = await untilAborted(deadline.signal, resolved).catch((cause: unknown) => {
    deadline.signal.throwIfAborted();
    throw new NetError("dns", "The proxy's name could not be found.", { cause });
  });
  const isSecure = proxy.protocol === "https:";
  const port = proxy.port === "" ? (isSecure ? 443 : 80) : Number(proxy.port);
  const socket = await dialFirst({ name: "The proxy", addresses, port }, way, deadline);
  return isSecure ? secure(socket, name, way, deadline) : socket;
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
    reject(new NetError("connect", `The proxy did not connect to ${name} (${why}).`, { cause }));
  };
  const path = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const asked = request({
    method: "CONNECT",
    path,
    headers: { host: path, ...headers },
    createConnection: () => socket,
  });
  asked.once("connect", ({ statusCode }, _socket, head: Buffer) => {
    if (statusCode !== 200) return refuse(`status ${statusCode}`);
    if (head.length > 0) return refuse("it spoke first");
    isOpen = true;
    return resolve(socket);
  });
  asked.on("error", (cause: NodeJS.ErrnoException) => refuse(cause.code ?? "failed", cause));
  asked.once("close", () => refuse("closed"));
  asked.end();
  return untilAborted(deadline.signal, promise);
}
