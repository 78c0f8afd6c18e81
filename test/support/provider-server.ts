import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A provider on loopback. In: for each call, a fault or a recorded reply in the provider's own wire format. Out: its
 * address, and every call it was sent. Closing it ends every connection, hung ones too.
 */
export type ProviderCall = {
  readonly index: number;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The parsed JSON body; null where there was none. */
  readonly body: unknown;
  /** The same as it came. */
  readonly text: string;
};

export type Fault = {
  readonly name: string;
  readonly respond: (call: ProviderCall, res: ServerResponse) => void | Promise<void>;
};

export type RecordedReply = {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: string | Uint8Array;
};

export type ProviderServer = {
  /** Without a slash at the end. Use it as any provider's base URL. */
  readonly url: string;
  readonly calls: readonly ProviderCall[];
  readonly close: () => Promise<void>;
};

export const createProviderServer = async (options: {
  readonly next: (call: ProviderCall) => Fault | RecordedReply;
  readonly port?: number;
}): Promise<ProviderServer> => {
  const calls: ProviderCall[] = [];
  const server = createServer((req, res) => {
    // A client that leaves in the middle is part of the game.
    req.on("error", () => {});
    res.on("error", () => {});
    void readBody(req).then(async (text) => {
      const call = { index: calls.length, path: req.url ?? "", headers: req.headers, body: parse(text), text };
      calls.push(call);
      const reply = options.next(call);
      if ("respond" in reply) return reply.respond(call, res);
      res.writeHead(reply.status ?? 200, { "content-type": "text/event-stream", ...reply.headers });
      res.end(reply.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const readBody = async (req: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of req) chunks.push(chunk as Buffer);
  } catch {
    return "";
  }
  return Buffer.concat(chunks).toString("utf8");
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** An address that refuses every connection: it was ours, and nobody listens there any more. */
export const findRefusedUrl = async (): Promise<string> => {
  const server = await createProviderServer({ next: () => ({ body: "" }) });
  await server.close();
  return server.url;
};
