import { once } from "node:events";
import { createServer as createWebServer, request as ask, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../server/lib/clock.ts";
import { dialTcp } from "../../server/net/connect.ts";
import { createFetch, decodeDocument, type FetchInit, type FetchOptions } from "../../server/net/fetch.ts";
import { createCertificate } from "./outbound-certificate.ts";
import { listen, PUBLIC } from "./outbound-fixture.ts";

/** TLS, the operator's proxy, and stopping at every stage, on real loopback servers. */
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const certificate = createCertificate("public.example");

/** Every address leads to this port of loopback. */
const leadTo = (port: number, more?: Partial<FetchOptions>) =>
  createFetch({
    userAgent: "Stonechat/0",
    clock: systemClock,
    spacingMs: 0,
    ca: certificate.cert,
    resolve: () => Promise.resolve([PUBLIC]),
    dial: (_to, signal) => dialTcp({ address: "127.0.0.1", port }, signal),
    ...more,
  });

const serve = async (server: Server): Promise<number> => {
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
};
const serveSecurely = (pair = certificate): Promise<number> =>
  serve(
    createSecureServer(pair, ({ socket, headers }, response) => {
      const { servername } = socket as Socket & { servername?: string | false };
      response.end(`${String(servername)} ${headers.host}`);
    }),
  );

describe("TLS", () => {
  test("SNI and certificate checks use the name, not the dialled address", async () => {
    const fetch = leadTo(await serveSecurely());
    expect(decodeDocument(await fetch("https://public.example/"))).toBe("public.example public.example");
    expect(decodeDocument(await fetch("https://public.example.:8443/"))).toBe("public.example public.example:8443");
  });

  test.each([
    ["is for another name", "https://other.example/", certificate, certificate.cert],
    ["is for another address", `https://${PUBLIC}/`, certificate, certificate.cert],
    ["is signed by nobody we trust", "https://public.example/", certificate, createCertificate("public.example").cert],
  ])("a certificate that %s is refused", async (_, url, pair, ca) => {
    const fetch = leadTo(await serveSecurely(pair), { ca });
    await expect(fetch(url)).rejects.toMatchObject({ code: "tls" });
  });

  test("a certificate whose time has passed is refused", async () => {
    const old = createCertificate("public.example", ["200101000000Z", "210101000000Z"]);
    const fetch = leadTo(await serveSecurely(old), { ca: old.cert });
    await expect(fetch("https://public.example/")).rejects.toMatchObject({ code: "tls" });
  });

  test("a certificate for an address proves the address", async () => {
    const fetch = leadTo(await serveSecurely(), { allowPrivate: ["127.0.0.1"] });
    expect((await fetch("https://127.0.0.1/")).status).toBe(200);
  });

  test("reports a server that does not speak TLS", async () => {
    const fetch = leadTo(await serve(createWebServer((_request, response) => void response.end("plain"))));
    await expect(fetch("https://public.example/")).rejects.toMatchObject({ code: "tls" });
  });
});

type Proxy = { readonly port: number; readonly asked: string[]; readonly credentials: (string | undefined)[] };

/** Forwards everything to one port of loopback, or refuses with a status. */
const openProxy = async (upstream: number, status = 200): Promise<Proxy> => {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server = createWebServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    credentials.push(request.headers["proxy-authorization"]);
    if (status !== 200) return void response.writeHead(status).end();
    const { pathname } = new URL(request.url ?? "");
    ask({ port: upstream, path: pathname, headers: { host: request.headers.host ?? "" } }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    }).end();
  });
  server.on("connect", (request, client: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    credentials.push(request.headers["proxy-authorization"]);
    client.on("error", () => {});
    if (status !== 200) return client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const out = connect(upstream, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(out).pipe(client);
    });
    return out.on("error", () => client.destroy());
  });
  return { port: await serve(server), asked, credentials };
};

describe("the operator's proxy", () => {
  const through = (proxy: Proxy, more?: Partial<FetchOptions>) =>
    leadTo(0, {
      proxy: `http://user:p%40ss@127.0.0.1:${proxy.port}`,
      dial: (to, signal) => dialTcp(to, signal),
      ...more,
    });

  test("is asked for a tunnel to the address that was checked, for http too, and never for a name", async () => {
    const proxy = await openProxy(await serveSecurely());
    expect(decodeDocument(await through(proxy)("https://public.example/"))).toBe("public.example public.example");
    const plain = await serve(createWebServer(({ headers }, response) => void response.end(headers.host)));
    const other = await openProxy(plain);
    expect(decodeDocument(await through(other)("http://public.example/x"))).toBe("public.example");
    expect([...proxy.asked, ...other.asked]).toEqual([`CONNECT ${PUBLIC}:443`, `CONNECT ${PUBLIC}:80`]);
    const basic = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
    expect([...proxy.credentials, ...other.credentials]).toEqual([basic, basic]);
  });

  test("is not asked for what leads inside", async () => {
    const proxy = await openProxy(0);
    const fetch = through(proxy, { resolve: () => Promise.resolve(["10.0.0.1"]) });
    for (const url of ["https://inside.example/", "http://inside.example/", "http://169.254.169.254/"])
      await expect(fetch(url)).rejects.toMatchObject({ code: "blocked" });
    expect(proxy.asked).toEqual([]);
  });

  test("is not asked for what the operator allowed inside", async () => {
    const proxy = await openProxy(0);
    const port = await serve(createWebServer((_request, response) => void response.end("inside")));
    const fetch = through(proxy, { allowPrivate: [`127.0.0.1:${port}`] });
    expect(decodeDocument(await fetch(`http://127.0.0.1:${port}/`))).toBe("inside");
    expect(proxy.asked).toEqual([]);
  });

  test.each([407, 502])("that answers %i to a tunnel is reported with the status", async (status) => {
    const proxy = await openProxy(0, status);
    await expect(through(proxy)("https://public.example/")).rejects.toMatchObject({ code: "connect" });
    expect(proxy.asked).toHaveLength(1);
  });

  test("that rejects the credentials is reported as such", async () => {
    const proxy = await openProxy(0, 407);
    await expect(through(proxy)("http://public.example/")).rejects.toMatchObject({ code: "connect" });
  });

  test("does not learn a site's keys, and a site not the proxy's", async () => {
    const sent: unknown[] = [];
    const port = await serve(
      createSecureServer(certificate, ({ headers }, response) => {
        sent.push(headers["authorization"], headers["proxy-authorization"]);
        response.end();
      }),
    );
    await through(await openProxy(port))("https://public.example/", { headers: { authorization: "Bearer k" } });
    expect(sent).toEqual(["Bearer k", undefined]);
  });
});

describe("a stop is heard", () => {
  /** A server that reports what reached it, and whether all its connections are gone. */
  const openSilence = async (start = "") => {
    const open = new Set<Socket>();
    const reached = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      open.add(socket);
      socket.on("error", () => {}).once("close", () => open.delete(socket));
      socket.once("data", () => {
        socket.resume();
        socket.write(start, () => reached.resolve());
      });
    });
    closers.push(() => server.close());
    return { port: await listen(server), reached: reached.promise, open };
  };
  type Way = ReturnType<typeof leadTo>;
  const stopAt = async (fetch: Way, reached: Promise<unknown>, url: string, init?: FetchInit): Promise<void> => {
    const stop = new AbortController();
    const work = fetch(url, { ...init, signal: stop.signal });
    await Promise.race([reached, work]);
    stop.abort();
    await expect(work).rejects.toMatchObject({ code: "aborted" });
  };

  test("before anything is done", async () => {
    const fetch = leadTo(0, {
      resolve: () => Promise.reject(new Error("asked")),
      dial: () => Promise.reject(new Error("dialled")),
    });
    await expect(fetch("http://public.example/", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
  });

  test("while a name is looked up", async () => {
    const asked = Promise.withResolvers<void>();
    const fetch = leadTo(0, {
      resolve: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    await stopAt(fetch, asked.promise, "http://public.example/");
  });

  test("while a connection is made, which is closed if it still comes", async () => {
    const dialled = Promise.withResolvers<void>();
    const made = Promise.withResolvers<Socket>();
    const { port, open } = await openSilence();
    const fetch = leadTo(0, {
      dial: () => {
        dialled.resolve();
        return made.promise;
      },
    });
    await stopAt(fetch, dialled.promise, "http://public.example/");
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    made.resolve(socket);
    await once(socket, "close");
    await expect.poll(() => open.size).toBe(0);
  });

  test.each([
    ["while TLS is agreed on", "https://public.example/", "", {}],
    ["while an answer is waited for", "http://public.example/", "", {}],
    ["within the headers", "http://public.example/", "HTTP/1.1 200 OK\r\nx-a: ", {}],
    ["within the body", "http://public.example/", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", {}],
    ["within an encoded body", "http://public.example/", "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n\x1f", {}],
    ["while robots.txt is read", "http://public.example/", "", { robots: true }],
  ])("%s", async (_, url, start, init) => {
    const { port, reached, open } = await openSilence(start);
    await stopAt(leadTo(port), reached, url, init);
    await expect.poll(() => open.size).toBe(0);
  });

  test("while the proxy opens a tunnel", async () => {
    const { port, reached, open } = await openSilence();
    await stopAt(leadTo(port, { proxy: "http://127.0.0.1:3128" }), reached, "https://public.example/");
    await expect.poll(() => open.size).toBe(0);
  });

  test("while a turn is waited for", async () => {
    const { port, open } = await openSilence();
    const fetch = leadTo(port);
    const others = new AbortController();
    const pending = [1, 2].map(() => fetch("http://public.example/", { signal: others.signal }));
    await expect.poll(() => open.size).toBe(2);
    await stopAt(fetch, Promise.resolve(), "http://public.example/");
    expect(open.size).toBe(2);
    others.abort();
    await Promise.all(pending.map((one) => expect(one).rejects.toMatchObject({ code: "aborted" })));
  });

  test("while a host wants rest", async () => {
    const told = Promise.withResolvers<void>();
    let visits = 0;
    const port = await serve(
      createWebServer((_request, response) => {
        visits += 1;
        response.writeHead(429, { "retry-after": "5" }).end("later", () => told.resolve());
      }),
    );
    await stopAt(leadTo(port), told.promise, "http://public.example/");
    expect(visits).toBe(1);
  });
});
