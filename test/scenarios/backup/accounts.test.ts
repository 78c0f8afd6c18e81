import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { plainSealer } from "../../../server/backup/sealer.ts";
import { readBackupFile, toContext, toHeaderBytes, type Manifest } from "../../../server/backup/format.ts";
import { accountsOn, clientOf, join as joinAs, setUp, signIn } from "../../support/accounts/accounts-instance.ts";
import { createFolder, mustRun } from "../../support/server/run-command.ts";
import { say, startInstance } from "../../support/instance.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createEmptyDatabase } from "../../support/postgres.ts";
import { startModernServer } from "../../support/mcp/modern-server.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth, SECRET_KEY } from "../settings/on-both.ts";

/** Each test starts many processes, which takes long on a busy machine. */
vi.setConfig({ testTimeout: 600_000 });

const targets = ["sqlite", ...(findPostgres() ? (["postgres"] as const) : [])] as const;
const env = {
  ...accountsOn,
  STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1",
  // Nothing listens there.
  OPENROUTER_BASE_URL: "http://127.0.0.1:9",
};
const script = () => say("An answer.");
type Place = { readonly dataDir: string; readonly databaseUrl: string };

const toEnv = ({ dataDir, databaseUrl }: Place): Record<string, string> => ({
  STONECHAT_DATA: dataDir,
  ...(databaseUrl ? { STONECHAT_DATABASE_URL: databaseUrl, STONECHAT_SECRET_KEY: SECRET_KEY } : {}),
});
const createTarget = async (kind: "sqlite" | "postgres"): Promise<Place> => ({
  dataDir: createFolder(),
  databaseUrl: kind === "sqlite" ? "" : await createEmptyDatabase(),
});
const ownKeys = new Set(["version", "stopped", "write-probe"]);
const readMeta = async ({ dataDir, databaseUrl }: Place) => {
  const place = databaseUrl ? { dataDir, databaseUrl } : { dataDir };
  const rows = await query<{ key: string; value: string }>(place, "select key, value from meta");
  return Object.fromEntries(
    rows.filter(({ key }) => !ownKeys.has(key) && !key.startsWith("node:")).map(({ key, value }) => [key, value]),
  );
};

describeOnBoth("a server with accounts", (start, kind) => {
  /** Two users, a server that one of them added with a key, an own provider key, a push key and a token ratio. */
  const fillServer = async () => {
    const mcp = await startModernServer();
    const instance = await start({ env, script });
    const ada = await setUp(instance);
    const bob = await joinAs(instance.url, ada, { email: "bob@example.com" });
    await bob.client.addServer({ params: {}, body: { name: "mine", url: mcp.url, headers: { "X-Key": "secret" } } });
    const { publicKey } = await bob.client.listPush({});
    await bob.client.setOwnKey({ params: { provider: "openrouter" }, body: { key: "sk-or-v1-bobs-hornblende" } });
    const place = { dataDir: instance.dataDir, databaseUrl: instance.databaseUrl };
    return { instance, bob, publicKey, mcp, place };
  };

  const startCopy = ({ dataDir, databaseUrl }: Place) =>
    startInstance({
      ...{ script, dataDir },
      env: { ...env, ...(databaseUrl ? { STONECHAT_DATABASE_URL: databaseUrl } : {}) },
    });

  const expectAdminWorks = async (url: string, userId: string) => {
    const ada = clientOf(url, (await signIn(url, "ada@example.com")).cookie);
    const change = (body: { role: "admin" } | { name: string } | { state: "suspended" }) =>
      ada.changePerson({ params: { userId }, body });
    expect((await change({ name: "Robert" })).person.name).toBe("Robert");
    expect((await change({ role: "admin" })).person.role).toBe("admin");
    expect((await change({ state: "suspended" })).person.state).toBe("suspended");
  };

  test("is restored with what users added, its push key and working admins", async () => {
    const { bob, publicKey, mcp, place, instance } = await fillServer();
    const file = join(createFolder(), "a.backup");
    await mustRun(["backup", file], toEnv(place));
    const before = await readMeta(place);
    expect(Object.keys(before).toSorted()).toEqual(
      expect.arrayContaining(["accounts", `mcp-servers:${bob.userId}`, "push-key"]),
    );
    await instance.leave();
    for (const target of targets) {
      const to = await createTarget(target);
      const out = await mustRun(["restore", file, ...(to.databaseUrl ? ["--to", to.databaseUrl] : [])], {
        STONECHAT_DATA: to.dataDir,
      });
      expect(out).toContain("Restored ");
      expect(await readMeta(to)).toEqual(before);
      const again = await startCopy(to);
      const { cookie } = await signIn(again.url, bob.email);
      const client = clientOf(again.url, cookie);
      expect((await client.listPush({})).publicKey).toBe(publicKey);
      const { servers } = await client.listServers({ params: {} });
      expect(servers).toMatchObject([{ server: "mine", headers: ["X-Key"] }]);
      const { providers } = await client.listOwnProviders({});
      expect(providers.find(({ id }) => id === "openrouter")).toMatchObject({ applies: "own", problem: null });
      mcp.headers.length = 0;
      await expect
        .poll(async () => (await client.listTools({ params: {} })).tools.map(({ name }) => name))
        .toContain("mcp__mine__book");
      expect(mcp.headers.every((headers) => headers.get("x-key") === "secret")).toBe(true);
      await expectAdminWorks(again.url, bob.userId);
      await again.leave();
    }
  });

  test("is moved with what users added and working admins", async () => {
    const { bob, place, instance } = await fillServer();
    await instance.leave();
    const before = await readMeta(place);
    for (const target of targets) {
      const to = await createTarget(target);
      await mustRun(["move", "--to", to.databaseUrl || to.dataDir], toEnv(place));
      expect(await readMeta(to)).toEqual(before);
      if (target !== kind) continue;
      const again = await startCopy({ ...to, dataDir: to.databaseUrl ? place.dataDir : to.dataDir });
      await expectAdminWorks(again.url, bob.userId);
      await again.leave();
    }
  });

  test("is restored from a backup without the table meta, and admins work", async () => {
    const { bob, place, instance } = await fillServer();
    const file = join(createFolder(), "a.backup");
    await mustRun(["backup", file], toEnv(place));
    await instance.leave();
    removeMeta(file);
    const to = await createTarget(kind);
    await mustRun(["restore", file, ...(to.databaseUrl ? ["--to", to.databaseUrl] : [])], {
      STONECHAT_DATA: to.dataDir,
    });
    expect(await readMeta(to)).toEqual({});
    const again = await startCopy(to);
    await expectAdminWorks(again.url, bob.userId);
  });
});

/** Makes the single file a backup of a version that did not store `meta`. */
function removeMeta(file: string): void {
  const { line, sealed } = readBackupFile(file);
  const text = Buffer.from(plainSealer.open(sealed, toContext(line))).toString("utf8");
  const manifest = JSON.parse(text) as Manifest;
  const tables = manifest.tables.filter(({ name }) => name !== "meta");
  expect(tables.length).toBe(manifest.tables.length - 1);
  const end = readFileSync(file).length - 8 - sealed.length;
  const changed = plainSealer.seal(Buffer.from(JSON.stringify({ ...manifest, tables })), toContext(line));
  expect(readFileSync(file).subarray(0, toHeaderBytes(line).length)).toEqual(toHeaderBytes(line));
  const position = Buffer.alloc(8);
  position.writeBigUInt64BE(BigInt(end));
  writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, end), changed, position]));
}
