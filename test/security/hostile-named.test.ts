import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { mintId } from "../support/instance.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { openHostileSetup, type HostileSetup } from "./hostile-text/setup.ts";

const SECONDS = 1000;
/** The texts that stopped 0.1.0 by name; the rest of section 1.1 is in `hostile-text.test.ts`. */
describe("texts that stopped the server", () => {
  let setup: HostileSetup;
  beforeAll(async () => {
    setup = await openHostileSetup();
  });
  afterAll(() => setup.close());

  /** The server keeps responding, and its main thread was not busy longer than a linear algorithm needs. */
  const expectAlive = async (mostCpuMs = 8 * SECONDS): Promise<void> => {
    expect((await setup.loopDelay()).cpuMs).toBeLessThan(mostCpuMs);
    expect((await fetch(`${setup.url}/healthz`)).status).toBe(200);
  };

  test.each([
    ["a table of contents", `Chapter one ${".".repeat(60)} 12\nChapter two ${"…".repeat(60)} 40`],
    ["many question marks", `really${"?".repeat(80)} yes`],
    ["many courtesies", `${"你能不能".repeat(60)} x ${"please, ".repeat(200)}!`],
  ])("1.2: the built-in model answers %s", async (_, text) => {
    const threadId = await setup.say(text, { model: "offline/stone" });
    const { messages } = await setup.client.getThread({ params: { threadId }, query: {} });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    await expectAlive();
  });

  test("1.3: a page of empty comments is previewed", async () => {
    const projectId = mintId("project");
    await setup.client.createProject({ body: { id: projectId, name: "Comments" } });
    const text = `${"<!---->".repeat(20_000)}<h1>after</h1>`;
    const op = { do: "write" as const, path: "index.html", was: null, text };
    await setup.client.writeFiles({ params: { projectId }, body: { id: mintId("act"), ops: [op] } });
    const { url } = await setup.client.openPreview({ params: { projectId }, body: {} });
    const response = await fetch(new URL(url, setup.url));
    expect(await response.text()).toContain("<h1>after</h1>");
    await expectAlive();
  });

  const scrape = (path: string): string =>
    `call tool scrape_webpage ${JSON.stringify({ urls: [`${setup.site}${path}`], question: "What is it?" })}\nsay done`;
  test.each([
    ["a robots.txt of white space", `a${" ".repeat(2000)}x\u2028x`, "/text"],
    ["300 kB of exclamation marks", `${"!".repeat(300_000)}x`, "/page"],
    ["11.5 MB without a space", "a".repeat(11_500_000), "/text"],
  ])(
    "1.7: %s is read",
    async (_, text, path) => {
      setup.give(text);
      await setup.say(scrape(path));
      await expectAlive();
    },
    60 * SECONDS,
  );
});

const bad = (name: string): object => ({ name, description: `bad \u0000\ud800 text`, inputSchema: { type: "object" } });

const tools = [
  bad("nul\u0000name"),
  bad("half\ud800name"),
  { ...bad("fine"), inputSchema: { type: "object", properties: { "a\u0000": { description: "\ud800" } } } },
];

describe("1.9: an MCP tool with a name that cannot be stored", () => {
  const expectRefused = async (setup: HostileSetup): Promise<void> => {
    setup.give("granite");
    await expect.poll(async () => (await setup.client.listServers({})).servers[0]?.tools.length).toBe(3);
    const threadId = await setup.say('call tool mcp__hostile__speak {"how":"result"}\nsay done');
    const { messages } = await setup.client.getThread({ params: { threadId }, query: {} });
    expect(JSON.stringify(messages)).toContain("granite");
    const { servers } = await setup.client.listServers({});
    expect(servers[0]?.tools.map(({ tool }) => tool)).toEqual(["speak", "fine", "read_resource"]);
    expect(servers[0]?.problems).toHaveLength(2);
    expect(servers[0]?.problems.join()).toContain("invisible or invalid characters");
  };

  test(
    "is skipped with a notice and every thread keeps working, on SQLite",
    async () => {
      const setup = await openHostileSetup({ tools });
      onTestFinished(setup.close);
      await expectRefused(setup);
    },
    120 * SECONDS,
  );

  test.skipIf(!findPostgres())(
    "is refused with a notice while every thread goes on, on PostgreSQL",
    async () => {
      const setup = await openHostileSetup({ tools, databaseUrl: await createDatabase() });
      onTestFinished(setup.close);
      await expectRefused(setup);
    },
    120 * SECONDS,
  );
});
