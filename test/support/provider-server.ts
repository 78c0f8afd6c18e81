import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A provider on loopback. For each call it replies with a fault or a recorded reply in the provider's wire format, and
 * records the call. Closing it closes all connections, including hung ones.
 */
export type ProviderCall = {
  readonly index: number;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The parsed JSON body; null if there was none. */
  readonly body: unknown;
  /** The body as received. */
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
  /** Without a trailing slash. Usable as the base URL of any provider. */
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
    // A client that disconnects midway is expected.
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

/** An address that refuses every connection: the port was open in this process and is closed. */
export const findRefusedUrl = async (): Promise<string> => {
  const server = await createProviderServer({ next: () => ({ body: "" }) });
  await server.close();
  return server.url;
};
