import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { accountsOn, clientOf, join, send, setUp, type Person } from "../../support/accounts/accounts-instance.ts";
import { findRefusedUrl } from "../../support/provider-server.ts";
import { query, queryPostgres } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const DAY_MS = 24 * 60 * 60_000;

const look = (person: Person) => person.client.getHealth({});
const codesOf = async (person: Person) => (await look(person)).problems.map(({ code }) => code);

describeOnBoth("health of the server", (start, kind) => {
  test("shows version, readiness, database, answers and missing settings to admins only", async () => {
    const instance = await start({ env: accountsOn });
    const ada = await setUp(instance);
    const bob = await join(instance.url, ada, { email: "bob@example.com" });
    const health = await look(ada);
    expect(health).toMatchObject({ isReady: true, hasMail: false, backups: null, providers: [] });
    expect(health.database).toMatchObject({ kind: kind === "postgres" ? "postgres" : "sqlite" });
    expect(health.database.bytes).toBeGreaterThan(10_000);
    expect(health.database.diskFreeBytes).toBeGreaterThan(0);
    expect(health.nodes).toMatchObject([{ isThis: true, isLost: false, version: health.version }]);
    expect(health.runs).toEqual({ active: 0, waiting: 0, queued: 0 });
    const codes = health.problems.map(({ code }) => code).filter((code) => !code.startsWith("disk"));
    expect(codes).toEqual(["no-backups", "no-mail"]);
    expect((await send(instance.url, "GET /api/health", { cookie: bob.cookie })).status).toBe(403);
    expect((await send(instance.url, "GET /api/health")).status).toBe(401);
  });

  test("reports the newest backup, and that backups are not encrypted", async () => {
    const folder = mkdtempSync(joinPath(tmpdir(), "stonechat-backups-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const instance = await start({ env: { ...accountsOn, STONECHAT_BACKUP_FOLDER: folder } });
    const ada = await setUp(instance);
    await expect.poll(async () => (await look(ada)).backups?.lastAt ?? null, { timeout: 60_000 }).not.toBeNull();
    expect((await look(ada)).backups).toMatchObject({ isOverdue: false, isEncrypted: false, everyMs: DAY_MS });
    // The next one.
    await expect
      .poll(async () => (await look(ada)).jobs, { timeout: 60_000 })
      .toContainEqual({ kind: "backup", waiting: 1, running: 0 });
    const codes = await codesOf(ada);
    expect(codes).toContain("backup-open");
    expect(codes).not.toContain("no-backup-yet");
  });

  test("names providers whose last test failed, until a test succeeds or the key is removed", async () => {
    const url = await findRefusedUrl();
    const instance = await start({ env: { ...accountsOn, OPENROUTER_BASE_URL: url } });
    const ada = await setUp(instance);
    const params = { provider: "openrouter" } as const;
    await ada.client.setProviderKey({ params, body: { key: "sk-or-v1-0123456789abcdef" } });
    await ada.client.testProvider({ params, body: {} });
    const { providers, problems } = await look(ada);
    expect(providers).toMatchObject([{ id: "openrouter", label: "OpenRouter" }]);
    expect(problems).toContainEqual(
      expect.objectContaining({ code: "provider-failing", level: "problem", name: "OpenRouter" }),
    );
    await ada.client.removeProviderKey({ params });
    expect((await look(ada)).providers).toEqual([]);
  });

  if (kind === "sqlite") return;

  test("lists all nodes on the database, and those that stopped without closing", async () => {
    const first = await start({ env: accountsOn });
    const second = await start({ env: accountsOn }, first.databaseUrl);
    const ada = await setUp(second);
    expect((await look(ada)).nodes).toHaveLength(2);
    await second.close();
    const again = await start({ env: accountsOn }, first.databaseUrl);
    const admin = { ...ada, client: clientOf(again.url, ada.cookie) };
    // The second node has closed, so only two are left.
    expect((await look(admin)).nodes.map(({ isThis }) => isThis)).toEqual([true, false]);
    // The row of a node that died, written by the first node, whose next sign of life would update its own row only.
    const lost = { id: "dead", host: "cellar", version: "0.1.9", startedAt: 1, seenAt: Date.now() - 10 * 60_000 };
    await queryPostgres(first.databaseUrl, "insert into meta (key, value) values ('node:dead', ?)", [
      JSON.stringify(lost),
    ]);
    const { nodes, problems } = await look(admin);
    expect(nodes.find(({ host }) => host === "cellar")).toMatchObject({ isLost: true, isThis: false });
    expect(problems).toContainEqual(expect.objectContaining({ code: "node-lost", name: "cellar", at: lost.seenAt }));
    expect(
      await query({ dataDir: "", databaseUrl: first.databaseUrl }, "select key from meta where key like 'node:%'"),
    ).toHaveLength(3);
  });
});
