import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/**
 * A TCP proxy on loopback whose faults can be switched while connections are open. `blackhole` accepts connections and
 * forwards nothing; bytes are kept and forwarded when it ends, as TCP would send them again. `half-close` ends only the
 * direction to the server, `half-close-reply` only the one to the client; both are applied when switched on.
 */
export type Fault =
  | { readonly kind: "none" }
  | { readonly kind: "latency"; readonly ms: number }
  | { readonly kind: "bandwidth"; readonly bytesPerSecond: number }
  | { readonly kind: "blackhole" | "blackhole-reply" | "reset" | "half-close" | "half-close-reply" };

/** Counts prove that a fault disturbed something. */
export type FaultCounts = {
  connections: number;
  /** Pieces that were forwarded late, because of latency or bandwidth. */
  delayed: number;
  /** Pieces that were withheld by a blackhole. */
  withheld: number;
  resets: number;
  halfCloses: number;
};

export type FaultProxy = {
  readonly port: number;
  readonly counts: Readonly<FaultCounts>;
  /** Connections that are still open on either side. */
  readonly open: () => number;
  /** Applies to open connections, or only to those that `only` selects, and to new ones. */
  readonly set: (fault: Fault, only?: (connection: Connection) => boolean) => void;
  readonly close: () => Promise<void>;
};

type Piece = Buffer | null;
/** `index` counts from 0; `first` are the first bytes that the client sent, once they have arrived. */
export type Connection = { readonly index: number; readonly first: string };
type Pair = {
  readonly index: number;
  readonly client: Socket;
  readonly server: Socket;
  readonly pump: () => void;
  first: string;
  /** One side failed while the other could not learn it. */
  isBroken: boolean;
};

const TICK_MS = 20;

export async function startFaultProxy(to: { readonly port: number; readonly host?: string }): Promise<FaultProxy> {
  const counts: FaultCounts = { connections: 0, delayed: 0, withheld: 0, resets: 0, halfCloses: 0 };
  const pairs = new Set<Pair>();
  let current: Fault = { kind: "none" };
  let applies: (connection: Connection) => boolean = () => true;
  const faultOf = (pair: Pair): Fault => (applies(pair) ? current : { kind: "none" });

  /** Forwards one direction through a queue, and reads no further while something waits in it. */
  const forward = (pair: Pair, isReply: boolean): (() => void) => {
    const [from, target] = isReply ? [pair.server, pair.client] : [pair.client, pair.server];
    const queue: { piece: Piece; readonly at: number; isCounted: boolean }[] = [];
    let timer: NodeJS.Timeout | undefined;
    const count = (what: "delayed" | "withheld"): void => {
      for (const entry of queue) if (!entry.isCounted) [entry.isCounted, counts[what]] = [true, counts[what] + 1];
    };
    const pump = (): void => {
      clearTimeout(timer);
      const fault = faultOf(pair);
      if (fault.kind === "blackhole" || (fault.kind === "blackhole-reply" && isReply)) return count("withheld");
      let left = fault.kind === "bandwidth" ? Math.ceil((fault.bytesPerSecond * TICK_MS) / 1000) : Infinity;
      while (queue[0] && left > 0) {
        const { piece, at } = queue[0];
        if (fault.kind === "latency" && performance.now() - at < fault.ms) break;
        const part = piece?.subarray(0, left) ?? null;
        if (piece && part && part.length < piece.length) queue[0].piece = piece.subarray(part.length);
        else queue.shift();
        left -= part?.length ?? 0;
        if (part === null) target.end();
        else if (!target.writableEnded) target.write(part);
      }
      if (queue.length === 0) return void from.resume();
      count("delayed");
      timer = setTimeout(pump, TICK_MS);
    };
    const take = (piece: Piece): void => {
      if (piece && !isReply && pair.first === "") pair.first = piece.toString("latin1");
      queue.push({ piece, at: performance.now(), isCounted: false });
      // Latency does not limit the throughput; everything else reads only what it forwards.
      if (faultOf(pair).kind !== "latency") from.pause();
      pump();
    };
    from.on("data", take).once("end", () => take(null));
    return pump;
  };

  const apply = (pair: Pair): void => {
    const { kind } = faultOf(pair);
    const isDisclosed = pair.isBroken && !kind.startsWith("blackhole");
    if (kind === "reset") counts.resets += 1;
    if (kind === "reset" || isDisclosed) {
      pair.client.resetAndDestroy();
      pair.server.resetAndDestroy();
    } else if (kind === "half-close" || kind === "half-close-reply") {
      counts.halfCloses += 1;
      (kind === "half-close" ? pair.server : pair.client).end();
    }
    pair.pump();
  };

  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ port: to.port, host: to.host ?? "127.0.0.1", allowHalfOpen: true });
    const pumps: (() => void)[] = [];
    const index = counts.connections++;
    const pump = (): void => pumps.forEach((one) => one());
    const pair: Pair = { index, client, server, pump, first: "", isBroken: false };
    pairs.add(pair);
    const isHidden = (): boolean => faultOf(pair).kind.startsWith("blackhole");
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.setNoDelay(true).on("error", () => {});
      // In a blackhole the other side does not learn that this one is gone.
      socket.once("close", (hadError) => {
        if (hadError && isHidden()) pair.isBroken = true;
        else if (hadError) other.resetAndDestroy();
        if (client.destroyed && server.destroyed) pairs.delete(pair);
      });
    }
    pumps.push(forward(pair, false), forward(pair, true));
    if (current.kind === "reset") apply(pair);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    counts,
    open: () => pairs.size,
    set: (fault, only = () => true) => {
      [current, applies] = [fault, only];
      for (const pair of [...pairs]) apply(pair);
    },
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const { client, server } of pairs) [client, server].forEach((socket) => socket.destroy());
      }),
  };
}
