import { expect, onTestFinished, test } from "vitest";
import { healthyReply } from "../support/chat-wire.ts";
import { mintId, startInstance, type Instance } from "../support/instance.ts";
import { createDatabase } from "../support/postgres.ts";
import { createProviderServer } from "../support/provider-server.ts";
import { query } from "../support/server/database.ts";

const isTitle = (body: string): boolean => body.includes("You write the title of a conversation");

/** An instance with a model server that answers "An answer.", and gives these titles. */
async function setUp(title: string, env: Readonly<Record<string, string>> = {}) {
  const provider = await createProviderServer({
    next: ({ text, path }) =>
      path.endsWith("/models")
        ? { body: JSON.stringify({ data: [{ id: "llama" }] }), headers: { "content-type": "application/json" } }
        : healthyReply(isTitle(text) ? title : "An answer."),
  });
  onTestFinished(() => provider.close());
  const instance = await startInstance({
    env: {
      STONECHAT_COMPATIBLE_URL: `${provider.url}/v1`,
      STONECHAT_COMPATIBLE_MODELS: "llama",
      STONECHAT_MODEL: "compatible/llama",
      STONECHAT_TITLES: "on",
      ...env,
    },
  });
  return { ...instance, titleCalls: () => provider.calls.filter(({ text }) => isTitle(text)).map(({ text }) => text) };
}

/** Sends the first message and resolves when all title jobs have ended. */
async function ask(instance: Instance, place: { databaseUrl?: string } = {}, more: object = {}) {
  const threadId = await instance.start(more);
  const live = instance.follow(threadId);
  await instance.send(threadId, "Wie baut ein Schwarzkehlchen sein Nest? Ich möchte es genau wissen.");
  await live.ended();
  const open = () => query(place.databaseUrl ? { ...instance, ...place } : instance, OPEN_JOBS, [threadId]);
  await expect.poll(open, { timeout: 15_000 }).toEqual([]);
  return {
    threadId,
    live,
    titleOf: async () => (await instance.client.getThread({ params: { threadId } })).thread.title,
  };
}
const OPEN_JOBS = "select id from jobs where kind = 'title' and state in ('waiting', 'running') and thread = ?";

for (const kind of ["SQLite", "PostgreSQL"]) {
  test(`a model of the thread's provider writes the title, counted under titles, on ${kind}`, async () => {
    const databaseUrl = kind === "PostgreSQL" ? await createDatabase() : undefined;
    const place = databaseUrl === undefined ? {} : { databaseUrl };
    const env = databaseUrl === undefined ? {} : { STONECHAT_DATABASE_URL: databaseUrl };
    const instance = await setUp('"**Nestbau des Schwarzkehlchens**."\nMore text', env);
    const { live, titleOf, threadId } = await ask(instance, place);
    expect(await titleOf()).toBe("Nestbau des Schwarzkehlchens");
    await live.until(({ thread }) => thread?.title === "Nestbau des Schwarzkehlchens");
    const [sent = ""] = instance.titleCalls();
    expect(sent).toContain("Schwarzkehlchen");
    expect(sent).toContain("An answer.");
    const { rows } = await instance.client.getCosts({ query: { by: "purpose" } });
    expect(rows.map(({ key, calls }) => [key, calls])).toContainEqual(["title", 1]);
    // Later answers, and a title of the user, are left alone.
    await instance.client.changeThread({ params: { threadId }, body: { id: mintId(), title: "Mine" } });
    await instance.send(threadId, "And then?");
    await live.ended(2);
    expect(await titleOf()).toBe("Mine");
    expect(instance.titleCalls()).toHaveLength(1);
  });
}

test("no title is asked for with the setting off, for temporary and named threads, or with the offline model", async () => {
  const instance = await setUp("A title");
  const words = "Wie baut ein Schwarzkehlchen sein Nest? Ich möchte es genau wissen.";
  await ask(instance, {}, { temporary: true });
  expect(await (await ask(instance, {}, { title: "Named" })).titleOf()).toBe("Named");
  expect(await (await ask(instance, {}, { model: "offline/stone" })).titleOf()).toBe(words);
  await instance.client.setPreferences({ body: { titles: false } });
  expect(await (await ask(instance)).titleOf()).toBe(words);
  expect(instance.titleCalls()).toEqual([]);
  await instance.client.setPreferences({ body: { titles: true } });
  expect(await (await ask(instance)).titleOf()).toBe("A title");
});

for (const [what, reply] of [
  ["an address", "Visit https://evil.example/ now"],
  ["an answer instead of a title", "x ".repeat(300)],
  ["nothing", "  \n "],
] as const) {
  test(`a reply that is ${what} leaves the first words as the title`, async () => {
    const instance = await setUp(reply);
    const { titleOf } = await ask(instance);
    expect(instance.titleCalls()).toHaveLength(1);
    expect(await titleOf()).toContain("Schwarzkehlchen sein Nest");
  });
}
