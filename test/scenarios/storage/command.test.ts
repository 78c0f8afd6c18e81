import { expect, test } from "vitest";
import { accountsOn, join, setUp } from "../../support/accounts/accounts-instance.ts";
import { mustRun } from "../../support/server/run-command.ts";
import { say } from "../../support/instance.ts";
import { describeOnBoth, SECRET_KEY } from "../settings/on-both.ts";

describeOnBoth("stonechat storage", (start, kind) => {
  const run = (instance: Awaited<ReturnType<typeof start>>): Promise<string> =>
    mustRun(["storage"], {
      STONECHAT_DATA: instance.dataDir,
      ...(kind === "postgres"
        ? { STONECHAT_DATABASE_URL: instance.databaseUrl, STONECHAT_SECRET_KEY: SECRET_KEY }
        : {}),
    });

  test("lists content by kind and the largest threads first, while the server runs", async () => {
    const instance = await start({ script: () => say("an answer") });
    for (const [title, size] of [
      ["small", 10],
      ["large", 20_000],
    ] as const) {
      const threadId = await instance.start({ title });
      const live = instance.follow(threadId);
      await instance.send(threadId, "word ".repeat(size));
      await live.ended(1);
      live.close();
    }
    const out = await run(instance);
    expect(out).toMatch(/^ +\d+(\.\d)? MB {2}(SQLite|PostgreSQL) database$/m);
    expect(out).toMatch(/^ +\d+ kB {2}messages$/m);
    const [, threads = ""] = out.split("Largest threads\n");
    expect(
      [...threads.matchAll(/^ +(\d+) kB {2}\d{4}-\d\d-\d\d {2}[\w-]+ {2}(\w+)$/gm)].map(([, , title]) => title),
    ).toEqual(["large", "small"]);
    expect(Number(/(\d+) kB.*large/.exec(threads)?.[1])).toBeGreaterThan(100);
    expect(out).toMatch(/0 kB {2}0 threads not changed for 90 days \(STONECHAT_DELETE_THREADS_DAYS=90\)/);
    expect(out.includes("stonechat compact")).toBe(kind === "sqlite");
  });

  test("with accounts, it adds up by account and shows no titles", async () => {
    const instance = await start({ env: accountsOn });
    const ada = await setUp(instance);
    const bob = await join(instance.url, ada, { email: "bob@example.com" });
    await bob.client.createThread({ body: { id: "bobs", title: "Bob's secret plan" } });
    const out = await run(instance);
    expect(out).toMatch(/^ +\d+ kB {2}bob@example\.com, 1 thread$/m);
    expect(out).toMatch(/ bobs {2}bob@example\.com$/m);
    expect(out).not.toContain("secret plan");
  });
});
