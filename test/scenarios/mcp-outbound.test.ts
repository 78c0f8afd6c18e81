import { createServer, type Server } from "node:http";
import { isIP, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../server/lib/clock.ts";
import { dialTcp } from "../../server/net/connect.ts";
import { NetError } from "../../server/net/fetch.ts";
import { createStream, type OpenStream } from "../../server/net/open-stream.ts";
import { openMcpSetup } from "../support/mcp/mcp-setup.ts";
import { forbiddenForms } from "../security/outbound-forms.ts";
import { listen, PUBLIC } from "../security/outbound-fixture.ts";

/** MCP servers and their authorization servers follow the rules for outbound requests. */
type Fixture = { readonly dials: string[]; readonly stream: OpenStream };

async function openFixture(server: Server, resolve: (name: string) => readonly string[]): Promise<Fixture> {
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const dials: string[] = [];
  const stream = createStream({
    userAgent: "Stonechat/0",
    clock: systemClock,
    resolve: async (name) => resolve(name),
    dial: (to, signal): Promise<Socket> => {
      dials.push(to.address);
      if (to.address === PUBLIC) return dialTcp({ address: "127.0.0.1", port }, signal);
      throw new Error("the canary was called");
    },
  });
  return { dials, stream };
}

const answering = (): Server => createServer((_, response) => void response.end("public"));
const init = { method: "POST", headers: {}, body: "{}", lifeMs: 5000, idleMs: 5000 } as const;
const tell = (stream: OpenStream, url: string): Promise<string> =>
  stream(url, init).then(
    async ({ status, body }) => {
      for await (const _ of body);
      return String(status);
    },
    (error: unknown) => {
      if (error instanceof NetError) return error.code;
      throw error;
    },
  );

test("no spelling of a private address is reached, directly or through DNS", async () => {
  const answers = { now: ["127.0.0.1"] as readonly string[] };
  const { dials, stream } = await openFixture(answering(), () => answers.now);
  let tried = 0;
  for (const form of forbiddenForms) {
    const host = URL.canParse(form) ? new URL(form).hostname.replace(/^\[|\]$/g, "") : "";
    const address = isIP(host) ? host : "127.0.0.1";
    answers.now = ["127.0.0.1"];
    expect(await tell(stream, form), form).toMatch(/^(blocked|bad-url)$/);
    for (answers.now of [[address], [PUBLIC, address], [address, PUBLIC]])
      expect(await tell(stream, "http://name.example/"), form).toBe("blocked");
    tried += 4;
  }
  expect(tried).toBeGreaterThanOrEqual(240);
  expect(dials).toEqual([]);
  answers.now = [PUBLIC];
  expect(await tell(stream, "http://name.example/")).toBe("200");
  expect(dials).toEqual([PUBLIC]);
});

test("never contacts an authorization server on a private address, in any spelling", async () => {
  const forms = forbiddenForms.filter((form) => URL.canParse(form) && /^https?:$/.test(new URL(form).protocol));
  const named = { now: "" };
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const json = { "content-type": "application/json" };
    if (request.url?.startsWith("/.well-known/oauth-protected-resource"))
      return void response
        .writeHead(200, json)
        .end(JSON.stringify({ resource: "http://public.example/mcp", authorization_servers: [named.now] }));
    return void response.writeHead(401).end();
  });
  const { dials, stream } = await openFixture(server, (name) => (name === "public.example" ? [PUBLIC] : ["127.0.0.1"]));
  const setup = await openMcpSetup({ file: { web: { url: "http://public.example/mcp" } }, more: { stream } });
  for (named.now of forms) await expect(setup.servers.signIn("ann", "web"), named.now).rejects.toThrow();
  expect(asked.filter((path) => path.includes("oauth-protected-resource")).length).toBeGreaterThanOrEqual(forms.length);
  expect(forms.length).toBeGreaterThan(40);
  expect(new Set(dials)).toEqual(new Set([PUBLIC]));
});
