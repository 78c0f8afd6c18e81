import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from "node:net";
import { systemClock } from "../../server/lib/clock.ts";
import { dialTcp, type Endpoint } from "../../server/net/connect.ts";
import { createFetch, type Fetch, type FetchOptions } from "../../server/net/fetch.ts";

/**
 * A network behind an injected dialler: one public address leads to a web server, every other one to a canary that
 * counts the TCP connections it gets. Both are real servers on loopback.
 */
export type Fixture = {
  readonly dials: Endpoint[];
  readonly lookups: string[];
  readonly canary: { connections: number };
  /** Requests that the public server got. */
  readonly visits: string[];
  readonly reset: () => void;
  /** How the public server responds to the next requests. */
  serve: (path: string, response: ServerResponse) => void;
  readonly createFetch: (resolve: (name: string) => readonly string[], more?: Partial<FetchOptions>) => Fetch;
  readonly close: () => Promise<void>;
};

export const PUBLIC = "93.184.216.34";
export const PUBLIC6 = "2606:2800:220:1:248:1893:25c8:1946";

export async function openFixture(): Promise<Fixture> {
  const canary = { connections: 0 };
  const trap = createTcpServer((socket) => {
    canary.connections += 1;
    socket.on("error", () => {}).resume();
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nsecret");
  });
  const web = createServer((request, response) => {
    fixture.visits.push(`${request.headers.host ?? ""}${request.url ?? ""}`);
    fixture.serve(request.url ?? "", response);
  });
  const [trapPort, webPort] = [await listen(trap), await listen(web)];

  const fixture: Fixture = {
    dials: [],
    lookups: [],
    canary,
    visits: [],
    reset: () => {
      fixture.dials.length = 0;
      fixture.lookups.length = 0;
      fixture.visits.length = 0;
      canary.connections = 0;
    },
    serve: (_path, response) => response.end("public"),
    createFetch: (resolve, more) =>
      createFetch({
        userAgent: "Stonechat/0 (+self-hosted)",
        clock: systemClock,
        spacingMs: 0,
        resolve: (name) => {
          fixture.lookups.push(name);
          return Promise.resolve(resolve(name));
        },
        dial: (to, signal) => {
          fixture.dials.push(to);
          const isPublic = to.address === PUBLIC || to.address === PUBLIC6;
          return dialTcp({ address: "127.0.0.1", port: isPublic ? webPort : trapPort }, signal);
        },
        ...more,
      }),
    close: async () => {
      web.closeAllConnections();
      await Promise.all([web, trap].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
  return fixture;
}

export async function listen(server: Server | TcpServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
