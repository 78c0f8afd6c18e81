import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Tool } from "../../server/tools/tool.ts";
import createScrape from "../../server/tools/web/scrape-webpage.tool.ts";
import { toolContext, toolDeps } from "../support/server/tool-context.ts";
import { forbiddenForms } from "./outbound-forms.ts";
import { openFixture, PUBLIC, type Fixture } from "./outbound-fixture.ts";

/** The one tool of ours whose address a model chooses; searches and the weather go where the operator says. */
describe("a page is never read from inside, whatever its address looks like", () => {
  let fixture: Fixture;
  const scrape = createScrape(toolDeps) as Tool;
  beforeAll(async () => {
    fixture = await openFixture();
  });
  beforeEach(() => fixture.reset());
  afterAll(() => fixture.close());

  let run = 0;
  const read = async (
    url: string,
    resolve: (name: string) => readonly string[],
    allowPrivate: readonly string[] = [],
  ) => {
    const fetch = fixture.createFetch(resolve, { allowPrivate });
    const { output } = await scrape.execute({ url }, { ...toolContext({ fetch }), runId: `run-${(run += 1)}` });
    return output as { pages: { error?: { code: string } }[] };
  };
  const webForms = forbiddenForms.filter((form) => /^https?:/i.test(form));

  test("there are sixty forms and more", () => expect(webForms.length).toBeGreaterThanOrEqual(60));

  test("direct", { timeout: 60_000 }, async () => {
    for (const form of webForms) {
      const { pages } = await read(form, () => ["127.0.0.1"]);
      expect(pages[0]?.error, form).toBeDefined();
    }
    expect(fixture.canary.connections).toBe(0);
  });

  test("by a redirect from a public page", { timeout: 60_000 }, async () => {
    for (const form of webForms) {
      fixture.serve = (path, response) => {
        if (path === "/robots.txt") return void response.writeHead(404).end();
        response.writeHead(302, { location: Buffer.from(form).toString("latin1") }).end();
      };
      await read("http://public.example/start", (name) => [name === "public.example" ? PUBLIC : "127.0.0.1"]);
    }
    expect(fixture.visits.some((visit) => visit.includes("/start"))).toBe(true);
    expect(fixture.canary.connections).toBe(0);
  });

  test.each([
    ["rebinding", (lookup: number) => [lookup % 2 === 0 ? PUBLIC : "127.0.0.1"]],
    ["mixed answers", () => [PUBLIC, "10.0.0.1"]],
    ["mixed answers, the inside first", () => ["::1", PUBLIC]],
  ])("%s", async (_, answer) => {
    fixture.serve = (_path, response) => response.end("<p>public</p>");
    let lookups = 0;
    for (let n = 0; n < 60; n += 1) await read(`http://name-${n}.example/`, () => answer((lookups += 1)));
    expect(lookups).toBeGreaterThanOrEqual(60);
    expect(fixture.canary.connections).toBe(0);
  });

  test("the control: what the operator allows is reached", async () => {
    await read("http://intranet.example/", () => ["127.0.0.1"], ["intranet.example"]);
    expect(fixture.canary.connections).toBeGreaterThan(0);
  });
});
